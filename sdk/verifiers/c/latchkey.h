/* Verifies leases of Latchkey without a network, by the steps of docs/integrate/lease-format.md. Include it in one
   file, and link libsodium. You may copy this file, under any terms (CC0 1.0). */
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define LK_SPACE " \t\r\n"
#define LK_BASE64URL sodium_base64_VARIANT_URLSAFE_NO_PADDING
enum { LK_LEASE_MAX = 8192, LK_LIST_MAX = 4 << 20, LK_DEPTH_MAX = 64, LK_NAMES_MAX = 1024, LK_AHEAD_MAX = 300 };

typedef struct {                                  /* What the program knows. NULL for what it does not use */
  int64_t now;                                    /* the present time, in seconds since 1970 */
  const char *const *roots, *const *revoked_keys; /* the pinned keys, in base64url; ids. Each list ends with NULL */
  const char *fingerprint, *device_key, *nonce;   /* the fingerprint itself; the public half of the device key */
  const int64_t *product;
  const char *revocations;                        /* a revocation list. One that does not verify counts as none */
} lk_options;
typedef struct {
  const char *state, *code;  /* licensed, grace, expired or refused; why it is refused, else NULL */
  char claims[LK_LEASE_MAX]; /* the payload, for lk_get, lk_text and lk_next; empty if it is refused */
} lk_result;
typedef struct { const char *header, *payload; const void *text, *signature; size_t length, size; } lk_signed;
typedef struct { unsigned char bytes[43]; char id[44]; } lk_key;
typedef struct { size_t count; const char *all[LK_NAMES_MAX]; } lk_names; /* 8,192 characters have no room for more */

/* Readers of JSON return what follows, or lk_wrong, where nothing fits. They take escapes out of strings, in place, and
   end each with NUL. */
static char lk_wrong[1];
static char *lk_space(const char *p) { return (char *)p + strspn(p, LK_SPACE); }
static char *lk_put(char *out, long c) { /* as UTF-8; NUL in two bytes, so that it ends no string */
  int more = c && c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  *out++ = (char)(more ? (0xf0 << (3 - more) & 0xff) | c >> 6 * more : c);
  while (more--) *out++ = (char)(0x80 | (c >> 6 * more & 0x3f));
  return out;
}
static size_t lk_utf8(const unsigned char *p) { /* bytes of a character; 0 if it is wrong, or a control character */
  const int two = p[0] << 8 | (*p ? p[1] : 0);
  const size_t n = two < 0x8000 ? two >= 0x2000 : two >= 0xc280 && two < 0xe000 ? 2 : two >= 0xf090 && two < 0xf490 ? 4
      : (two >= 0xe0a0 && two < 0xeda0) || (two >= 0xee80 && two < 0xf000) ? 3 : 0;
  for (size_t i = 1; i < n; i++) if ((p[i] & 0xc0) != 0x80) return 0;
  return n;
}
static long lk_hex(const char *p) { /* the number in \u00fc; -1 for anything else */
  unsigned char pair[2];
  const int is_good = p[0] == '\\' && p[1] == 'u' && !sodium_hex2bin(pair, 2, p + 2, 4, NULL, NULL, NULL);
  return is_good ? pair[0] << 8 | pair[1] : -1;
}
static char *lk_string(char *p) {
  static const char names[] = "\"\\/bfnrt", escapes[] = "\"\\/\b\f\n\r\t";
  char *out = ++p;
  while (*p != '"') {
    const size_t bytes = *p == '\\' ? 0 : lk_utf8((unsigned char *)p);
    const char *name = *p == '\\' && p[1] ? strchr(names, p[1]) : NULL;
    const long c = lk_hex(p), low = c >> 10 == 0x36 ? lk_hex(p + 6) : -1; /* halves of a pair of UTF-16 */
    if (low >> 10 == 0x37) out = lk_put(out, (c << 10) + low - 0x35fdc00), p += 12;
    else if (c >= 0) out = lk_put(out, c), p += 6;
    else if (name) *out++ = escapes[name - names], p += 2;
    else if (bytes) memmove(out, p, bytes), out += bytes, p += bytes;
    else return lk_wrong;
  }
  memset(out, ' ', (size_t)(p - out) + 1), *out = 0;
  return p + 1;
}
static char *lk_digits(char *p) { return *p >= '0' && *p <= '9' ? p + strspn(p, "0123456789") : lk_wrong; }
static char *lk_number(char *p) {
  p += *p == '-';
  p = *p == '0' ? p + 1 : lk_digits(p);
  if (*p == '.') p = lk_digits(p + 1);
  return *p == 'e' || *p == 'E' ? lk_digits(p + 1 + (p[1] == '+' || p[1] == '-')) : p;
}
static char *lk_name(char *p, lk_names *names) { /* and its colon */
  const char *name = p + 1, *end = *p == '"' ? name + strcspn(name, "\"\\") + 1 : p;
  if (*p != '"' || (p = lk_string(p)) != end || names->count == LK_NAMES_MAX) return lk_wrong;
  for (size_t i = 0; i < names->count; i++) if (!strcmp(names->all[i], name)) return lk_wrong;
  names->all[names->count++] = name;
  return *(p = lk_space(p)) == ':' ? lk_space(p + 1) : lk_wrong;
}
static char *lk_value(char *p, lk_names *names, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  const char open = *p, close = open == '{' ? '}' : ']';
  for (int i = 0; i < 3; i++) if (!strncmp(p, words[i], strlen(words[i]))) return p + strlen(words[i]);
  if (open != '{' && open != '[') return open == '"' ? lk_string(p) : lk_number(p);
  if (depth == LK_DEPTH_MAX) return lk_wrong;
  if (*lk_space(p + 1) == close) return lk_space(p + 1) + 1;
  do {
    p = lk_space(p + 1);
    if (open == '{') p = lk_name(p, names);
    p = lk_space(lk_value(p, names, depth + 1));
  } while (*p == ',');
  return *p == close ? p + 1 : lk_wrong;
}
/* What follows a value or name: the next one, or the closing bracket. The first is at lk_space(list + 1). */
static const char *lk_next(const char *p) {
  int depth = 0;
  do {
    depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    p += *p == '"' ? strlen(p) + 1 : 1;
  } while (depth > 0 || !strchr(",:]}" LK_SPACE, *p));
  return p + strspn(p, ",:" LK_SPACE);
}
/* The value of a member, or "". A string begins with its quote, and ends with NUL. The name ends at : or ?, too. */
static const char *lk_get(const char *object, const char *name) {
  const size_t n = strcspn(name, ":?");
  for (const char *p = *object == '{' ? lk_space(object + 1) : object; *p == '"'; p = lk_next(lk_next(p)))
    if (!strncmp(p + 1, name, n) && !p[n + 1]) return lk_next(p);
  return "";
}
static const char *lk_text(const char *object, const char *name) { /* without its quote; "" if it is no string */
  const char *value = lk_get(object, name);
  return *value == '"' ? value + 1 : "";
}
static int64_t lk_integer(const char *p) { /* -1 for anything else */
  const size_t n = strspn(p, "0123456789");
  return n && n <= 16 && (*p != '0' || n == 1) && strchr(",]}" LK_SPACE, p[n]) ? strtoll(p, NULL, 10) : -1;
}
static int64_t lk_int(const char *object, const char *name) { return lk_integer(lk_get(object, name)); }

/* The bytes of base64url; 0 if it is wrong. libsodium 1.0.18 takes some characters beyond ASCII. */
static size_t lk_decode(void *out, const char *text, size_t n) {
  size_t size = 0;
  for (size_t i = 0; i < n; i++) if (text[i] & 0x80) return 0;
  return sodium_base642bin(out, n, text, n, NULL, &size, NULL, LK_BASE64URL) ? 0 : size;
}
static char *lk_hash(const void *data, size_t n, char out[44]) {
  unsigned char hash[32];
  crypto_hash_sha256(hash, data, n);
  return sodium_bin2base64(out, 44, hash, 32, LK_BASE64URL);
}
static int lk_is_key(const char *x, lk_key *key) {
  if (strlen(x) != 43 || lk_decode(key->bytes, x, 43) != 32) return 0;
  lk_hash(key->bytes, 32, key->id)[16] = 0;
  return 1;
}
/* Kinds are string, key, number, time, id of a license or activation, cnf, entry; S and E are lists of s and e. */
static int lk_is(const char *p, char kind) {
  const int64_t number = lk_integer(p);
  lk_key key;
  if (kind == 's') return *p == '"';
  if (kind == 'k') return *p == '"' && lk_is_key(p + 1, &key);
  if (kind == 'n') return number >= 0 && number < 1LL << 53;
  if (kind == 't') return number >= 0 && number <= 253402300799;
  if (kind == 'c') return lk_is(lk_get(p, "x"), 'k');
  if (kind == 'l' || kind == 'a')
    return !strncmp(p, kind == 'l' ? "\"lic_" : "\"act_", 5) && lk_integer(p + 5) >= 0 && strlen(p) <= 20
        && strspn(p + 5, "0123456789") == strlen(p + 5);
  if (*p != '[') return 0;
  p = lk_space(p + 1);
  if (kind == 'e') return lk_is(p, 'n') && lk_is(lk_next(p), 't') && *lk_next(lk_next(p)) == ']';
  while (lk_is(p, kind | 32)) p = lk_next(p);
  return *p == ']';
}
/* Whether an object has members of these names and kinds. A member with ? instead of : may be left out. */
static int lk_has(const char *object, const char *members) {
  for (; *members; members = strchr(members, ' ') + 1) {
    const char *value = lk_get(object, members), *mark = strpbrk(members, ":?");
    if (*value ? !lk_is(value, mark[1]) : *mark == ':') return 0;
  }
  return 1;
}
/* Reads a text of the right form into memory for as many bytes. */
static int lk_read(lk_signed *s, const char *text, size_t n, char *memory, const char *typ, size_t members) {
  const char **parts[] = {&s->header, &s->payload}, *end;
  s->text = text;
  for (int i = 0; i < 2; i++, n -= (size_t)(end - text) + 1, text = end + 1, memory += s->size + 1) {
    lk_names names = {0};
    if (!(end = memchr(text, '.', n)) || !(s->size = lk_decode(memory, text, (size_t)(end - text)))) return 0;
    memory[s->size] = 0, s->length = (size_t)(end - (const char *)s->text);
    *parts[i] = lk_space(memory);
    if (**parts[i] != '{' || lk_space(lk_value(lk_space(memory), &names, 0)) != memory + s->size) return 0;
    if (i == 0 && names.count != members) return 0;
  }
  s->signature = memory;
  return (s->size = lk_decode(memory, text, n)) && !strcmp(lk_text(s->header, "alg"), "EdDSA")
      && !strcmp(lk_text(s->header, "typ"), typ) && *lk_get(s->header, "kid") == '"';
}
static int lk_is_signed_by(const lk_signed *s, const lk_key *key) {
  return s->size == 64 && !crypto_sign_verify_detached(s->signature, s->text, s->length, key->bytes);
}
static int lk_is_revoked_key(const char *id, const char *rvk, const lk_options *options) {
  for (const char *const *one = options->revoked_keys; one && *one; one++) if (!strcmp(*one, id)) return 1;
  for (const char *p = *rvk ? lk_space(rvk + 1) : rvk; *p == '"'; p = lk_next(p)) if (!strcmp(p + 1, id)) return 1;
  return 0;
}
/* Steps 1 to 6, for a text and its certificate. There is room for max bytes for each. Returns a code, or NULL. */
static const char *lk_open(lk_signed s[2], const char *text, size_t n, char *room, size_t max, const char *typ,
                           const char *prefix, const lk_options *options) {
  while (n && memchr(LK_SPACE, *text, 4)) text++, n--;
  while (n && memchr(LK_SPACE, text[n - 1], 4)) n--;
  if (n > strlen(prefix) && !memcmp(text, prefix, strlen(prefix))) text += strlen(prefix), n -= strlen(prefix);
  if (sodium_init() < 0 || n > max || !lk_read(s, text, n, room, typ, 4)) return "malformed";
  const char *crt = lk_text(s->header, "crt"), *const *root = options->roots;
  if (strlen(crt) > LK_LEASE_MAX || !lk_read(s + 1, crt, strlen(crt), room + max, "lk-cert+jwt", 3)) return "malformed";
  lk_key key;
  for (; *root; root++)
    if (lk_is_key(*root, &key) && !lk_is_revoked_key(key.id, "", options) && lk_is_signed_by(s + 1, &key)) break;
  if (!*root) return "wrong_root";
  const char *claims = s[1].payload, *kid = lk_text(claims, "kid");
  if (!lk_has(claims, "kid:s x:k nbf:t exp:t use:s rvk?S ") || strcmp(lk_text(claims, "use"), "lease")
      || !lk_is_key(lk_text(claims, "x"), &key) || strcmp(key.id, kid) || strcmp(lk_text(s->header, "kid"), kid))
    return "bad_certificate";
  if (lk_is_revoked_key(kid, lk_get(claims, "rvk"), options)) return "revoked_key";
  return lk_is_signed_by(s, &key) ? NULL : "bad_signature";
}
/* Whether the revocation list is good, and has an entry for a lease. */
static int lk_is_revoked(const char *lease, const char *text, const lk_options *options) {
  static const char *const names[][2] = {{"lic", "lic"}, {"act", "sub"}};
  char *memory = malloc(2 * LK_LIST_MAX);
  int is_revoked = 0;
  lk_signed s[2];
  if (memory && !lk_open(s, text, strlen(text), memory, LK_LIST_MAX, "lk-revocations+jwt", "", options)
      && lk_has(s->payload, "iss:s seq:n iat:t exp:t lic:E act:E ")
      && lk_int(s[1].payload, "nbf") <= lk_int(s->payload, "iat")
      && lk_int(s->payload, "iat") <= lk_int(s[1].payload, "exp"))
    for (int i = 0; i < 2; i++) {
      const char *id = lk_text(lease, names[i][1]), *entry = lk_space(lk_get(s->payload, names[i][0]) + 1);
      for (; *id && *entry == '['; entry = lk_next(entry)) {
        const char *number = lk_space(entry + 1);
        is_revoked |= lk_integer(number) == lk_integer(id + 4) && lk_int(lease, "iat") <= lk_integer(lk_next(number));
      }
    }
  free(memory);
  return is_revoked;
}
static lk_result lk_refused(const char *code) { return (lk_result){"refused", code, ""}; }
/* Verifies a lease, with or without LKLEASE1. before it. */
static lk_result lk_verify(const char *lease, size_t length, const lk_options *options) {
  lk_signed s[2];
  lk_result result = {0};
  char memory[2 * LK_LEASE_MAX], hash[44] = "";
  const char *code = lk_open(s, lease, length, memory, LK_LEASE_MAX, "lk-lease+jwt", "LKLEASE1.", options);
  if (code) return lk_refused(code);
  const char *claims = s->payload, *crt = s[1].payload, *n = lk_get(claims, "n");
  const char *x = lk_text(lk_get(claims, "cnf"), "x");
  const int64_t iat = lk_int(claims, "iat"), ref = lk_int(claims, "ref"), exp = lk_int(claims, "exp");
  const int64_t grc = lk_int(claims, "grc"), lxp = lk_int(claims, "lxp"), prd = lk_int(claims, "prd");
  if (!lk_has(claims, "iss:s jti:s sub?a lic:l prd?n fp?k cnf?c st:s ent:S iat:t ref:t exp:t grc:t lxp?t n?s ")
      || iat > ref || ref > exp || exp > grc || (lxp >= 0 && grc > lxp)) return lk_refused("malformed");
  if (lk_int(crt, "nbf") > iat || grc > lk_int(crt, "exp")) return lk_refused("bad_certificate");
  if (options->fingerprint) lk_hash(options->fingerprint, strlen(options->fingerprint), hash);
  if (strcmp(lk_text(claims, "fp"), hash)) return lk_refused("other_device");
  if (options->device_key && (!*x || strcmp(x, options->device_key))) return lk_refused("other_device");
  if (options->product && prd >= 0 && prd != *options->product) return lk_refused("other_product");
  if (options->nonce && (!*n || strcmp(n + 1, options->nonce))) return lk_refused("other_nonce");
  if (options->revocations && lk_is_revoked(claims, options->revocations, options)) return lk_refused("revoked");
  if (iat - LK_AHEAD_MAX > options->now) return lk_refused("clock");
  memcpy(result.claims, claims, (size_t)((const char *)s->signature - claims));
  result.state = options->now < exp ? "licensed" : options->now < grc ? "grace" : "expired";
  return result;
}
