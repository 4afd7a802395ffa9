/* Verifies leases of Latchkey without a network, by the steps of docs/integrate/lease-format.md. Include it in one file,
   and link libsodium. You may copy this file, under any terms (CC0 1.0). */
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { LK_LEASE_MAX = 8192, LK_LIST_MAX = 4 << 20, LK_DEPTH_MAX = 64, LK_AHEAD_MAX = 300 };

typedef struct {                                /* What the program knows. NULL for what it does not use */
  int64_t now;                                  /* the present time, in seconds since 1970 */
  const char *fingerprint, *device_key, *nonce; /* the fingerprint itself; the public half of the device key */
  const int64_t *product;
  const char *const *revoked_keys;              /* ids */
  size_t revoked_keys_count;
  const char *revocations;                      /* a revocation list. One that does not verify counts as none */
  size_t revocations_length;
} lk_options;
typedef struct {
  const char *state, *code;      /* licensed, grace, expired or refused; why it is refused, else NULL */
  char claims[LK_LEASE_MAX + 1]; /* the payload, in JSON; empty if it is refused */
} lk_result;

/* A value of JSON, and after it the values inside of it: `size` in all. `kind` is its first character. */
typedef struct { char kind; const char *name, *text; int64_t number; size_t size; } lk_node;
typedef struct {
  void *memory;
  const char *text; /* its first `length` characters are signed */
  const lk_node *parts[2]; /* header, payload */
  const unsigned char *signature;
  size_t length, signature_length;
} lk_signed;

static char *lk_put(char *out, unsigned long c) { /* as UTF-8; NUL in two bytes, so that it ends no text */
  int more = c && c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  *out++ = (char)(more ? (0xf0 << (3 - more) & 0xff) | c >> 6 * more : c);
  while (more--) *out++ = (char)(0x80 | (c >> 6 * more & 0x3f));
  return out;
}
static int lk_utf8(const char *p) { /* bytes of a character; 0 if it is wrong, or a control character */
  int more = (*p & 0x80) == 0 ? 0 : (*p & 0x20) == 0 ? 1 : (*p & 0x10) == 0 ? 2 : 3;
  unsigned long c = *p & (more ? 0x3f >> more : 0x7f);
  char again[4];
  for (int i = 1; i <= more; i++) c = c << 6 | (p[i] & 0x3f);
  if (c < 0x20 || c > 0x10ffff || c >> 11 == 0x1b || lk_put(again, c) != again + more + 1) return 0;
  return memcmp(again, p, (size_t)more + 1) ? 0 : more + 1;
}
static long lk_hex(const char *p) { /* the number in \u00fc; -1 for anything else */
  char digits[5] = "";
  if (p[0] != '\\' || p[1] != 'u' || strspn(strncpy(digits, p + 2, 4), "0123456789abcdefABCDEF") != 4) return -1;
  return strtol(digits, NULL, 16);
}
static char *lk_string(char *p, const char **text) { /* takes the escapes out, in place; returns what follows, or NULL */
  static const char names[] = "\"\\/bfnrt", escapes[] = "\"\\/\b\f\n\r\t";
  char *out = ++p;
  for (*text = out; *p != '"';) {
    int bytes = *p == '\\' ? 0 : lk_utf8(p);
    const char *name = *p == '\\' && p[1] ? strchr(names, p[1]) : NULL;
    long c = lk_hex(p), low = c >> 10 == 0x36 ? lk_hex(p + 6) : -1;
    if (low >> 10 == 0x37) out = lk_put(out, (unsigned long)((c << 10) + low - 0x35fdc00)), p += 12;
    else if (c >= 0) out = lk_put(out, (unsigned long)c), p += 6;
    else if (name) *out++ = escapes[name - names], p += 2;
    else if (bytes) memmove(out, p, (size_t)bytes), out += bytes, p += bytes;
    else return NULL;
  }
  *out = 0;
  return p + 1;
}
static char *lk_number(char *p, int64_t *integer) { /* *integer stays -1 if it has a sign, a fraction, an exponent */
  static const char digits[] = "0123456789";
  char *start = p, *whole = p += *p == '-';
  size_t n = strspn(p, digits);
  if (!n || (*p == '0' && n > 1)) return NULL;
  whole = p += n;
  if (*p == '.') n = strspn(++p, digits), p += n;
  if (n && (*p == 'e' || *p == 'E')) p += 1 + (p[1] == '+' || p[1] == '-'), n = strspn(p, digits), p += n;
  if (p == whole && *start != '-' && p - start <= 16) *integer = strtoll(start, NULL, 10);
  return n ? p : NULL;
}
static char *lk_space(char *p) { return p + strspn(p, " \t\r\n"); }
/* Reads a value of JSON into *next and the nodes after it. Returns what follows, or NULL. */
static char *lk_value(char *p, const char *name, lk_node **next, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  lk_node *node = (*next)++;
  char close = *p == '{' ? '}' : ']', *key;
  *node = (lk_node){*p, name, "", -1, 1};
  for (int i = 0; i < 3; i++) if (!strncmp(p, words[i], strlen(words[i]))) return p + strlen(words[i]);
  if (*p == '"') return lk_string(p, &node->text);
  if (*p != '{' && *p != '[') return lk_number(p, &node->number);
  if (depth == LK_DEPTH_MAX) return NULL;
  if (*(p = lk_space(p + 1)) == close) return p + 1;
  for (name = NULL;; p = lk_space(p + 1)) {
    if (close == '}') { /* an escape would make the name shorter than it is spelled */
      if (*(key = p) != '"' || !(p = lk_string(p, &name)) || (size_t)(p - key) != strlen(name) + 2) return NULL;
      if (*(p = lk_space(p)) != ':') return NULL;
      p = lk_space(p + 1);
    }
    if (!(p = lk_value(p, name, next, depth + 1))) return NULL;
    node->size = (size_t)(*next - node);
    if (*(p = lk_space(p)) == close) return p + 1;
    if (*p != ',') return NULL;
  }
}
static int lk_by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }
static lk_node *lk_object(char *json, size_t length, lk_node *nodes, const char **names, char *copy) {
  lk_node *next = nodes;
  size_t count = 0;
  if (copy) memcpy(copy, json, length);
  char *start = lk_space(json), *end = *start == '{' ? lk_value(start, NULL, &next, 0) : NULL;
  if (!end || lk_space(end) != json + length) return NULL;
  for (lk_node *node = nodes; node < next; node++) if (node->name) names[count++] = node->name;
  qsort(names, count, sizeof *names, lk_by_text);
  for (size_t i = 1; i < count; i++) if (!strcmp(names[i - 1], names[i])) return NULL;
  return nodes;
}
static const lk_node *lk_get(const lk_node *object, const char *name) {
  static const lk_node none = {0, NULL, "", -1, 1};
  for (const lk_node *node = object + 1; node < object + object->size; node += node->size)
    if (node->name && !strcmp(node->name, name)) return node;
  return &none;
}
static int lk_equals(const lk_node *node, const char *text) { return node->kind == '"' && !strcmp(node->text, text); }
/* The bytes of base64url; 0 if it is wrong. libsodium 1.0.18 takes some characters beyond ASCII. */
static size_t lk_decode(void *bytes, size_t max, const char *text, size_t n) {
  size_t length = 0;
  for (size_t i = 0; i < n; i++) if (text[i] & 0x80) return 0;
  return sodium_base642bin(bytes, max, text, n, NULL, &length, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) ? 0 : length;
}
static int lk_bytes(const char *x, unsigned char bytes[32]) { return lk_decode(bytes, 32, x, strlen(x)) == 32; }
static int64_t lk_id(const lk_node *node, const char *prefix) { /* the number in lic_7 and act_41, or -1 */
  const char *digits = node->text + 4;
  size_t n = node->kind == '"' && !strncmp(node->text, prefix, 4) ? strlen(digits) : 0;
  return n && n <= 15 && strspn(digits, "0123456789") == n && (*digits != '0' || n == 1) ? strtoll(digits, NULL, 10) : -1;
}
static int lk_is(const lk_node *node, char kind) { /* the kinds are the letters below; S and E are lists of s and e */
  unsigned char bytes[32];
  if (kind == 's') return node->kind == '"';
  if (kind == 'n') return node->number >= 0 && node->number < 1LL << 53;
  if (kind == 't') return node->number >= 0 && node->number <= 253402300799;
  if (kind == 'k') return node->kind == '"' && lk_bytes(node->text, bytes);
  if (kind == 'c') return node->kind == '{' && lk_is(lk_get(node, "x"), 'k');
  if (kind == 'l' || kind == 'a') return lk_id(node, kind == 'l' ? "lic_" : "act_") >= 0;
  if (node->kind != '[' || (kind == 'e' && node->size != 3)) return 0;
  if (kind == 'e') return lk_is(node + 1, 'n') && lk_is(node + 2, 't');
  for (const lk_node *one = node + 1; one < node + node->size; one += one->size) if (!lk_is(one, kind | 32)) return 0;
  return 1;
}
static int lk_has(const lk_node *object, const char *members) { /* names, each with its kind; ? if it may be left out */
  for (char name[4] = ""; *members; members += strcspn(members, " "), members += *members == ' ') {
    size_t n = strcspn(members, ":?");
    memcpy(name, members, n), name[n] = 0;
    const lk_node *node = lk_get(object, name);
    if (node->kind ? !lk_is(node, members[strcspn(members, ":") + 1]) : members[n] == ':') return 0;
  }
  return 1;
}
/* Reads a text of the right form, and copies its payload. The caller frees the memory, also if the text is wrong. */
static int lk_read(lk_signed *s, const char *text, size_t n, size_t max, const char *typ, size_t members, char *copy) {
  const size_t values = n / 2 + 4; /* JSON has at most one for each two of its characters */
  size_t length = 0;
  *s = (lk_signed){.memory = n <= max ? calloc(values * (sizeof(lk_node) + sizeof(char *)) + n + 8, 1) : NULL, .text = text};
  if (!s->memory) return 0;
  lk_node *nodes = s->memory;
  const char **names = (const char **)(nodes + values);
  char *bytes = (char *)(names + values);
  for (int part = 0; part < 3; part++, bytes += length + 1) {
    const char *end = part < 2 ? memchr(text, '.', n) : text + n;
    if (!end || !(length = lk_decode(bytes, n, text, (size_t)(end - text)))) return 0;
    if (part < 2 && !(s->parts[part] = lk_object(bytes, length, nodes, names, part ? copy : NULL))) return 0;
    if (part < 2) nodes += s->parts[part]->size, n -= (size_t)(end - text) + 1, text = end + 1;
  }
  s->signature = (unsigned char *)bytes - length - 1, s->signature_length = length, s->length = (size_t)(text - s->text) - 1;
  return s->parts[0]->size == 1 + members && lk_has(s->parts[0], members == 4 ? "alg:s typ:s kid:s crt:s" : "alg:s typ:s kid:s")
      && lk_equals(lk_get(s->parts[0], "alg"), "EdDSA") && lk_equals(lk_get(s->parts[0], "typ"), typ);
}
static int lk_is_signed_by(const lk_signed *s, const char *x) {
  unsigned char key[32];
  return s->signature_length == 64 && lk_bytes(x, key)
      && !crypto_sign_verify_detached(s->signature, (const unsigned char *)s->text, s->length, key);
}
static void lk_hash(const void *data, size_t n, char out[44]) {
  unsigned char hash[32];
  crypto_hash_sha256(hash, data, n);
  sodium_bin2base64(out, 44, hash, 32, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}
static int lk_is_key(const char *x, const char *kid, const lk_options *options) { /* good, of this id, and not revoked */
  unsigned char key[32];
  char id[44];
  if (!lk_bytes(x, key)) return 0;
  lk_hash(key, 32, id);
  id[16] = 0;
  for (size_t i = 0; options && i < options->revoked_keys_count; i++) if (!strcmp(id, options->revoked_keys[i])) return 0;
  return !kid || !strcmp(id, kid);
}
/* Steps 1 to 6. Returns a code, or NULL. */
static const char *lk_open(lk_signed *lease, lk_signed *crt, const char *text, size_t n, size_t max, const char *typ,
                           const char *const *roots, const lk_options *options, char *copy) {
  if (!lk_read(lease, text, n, max, typ, 4, copy)) return "malformed";
  const char *certificate = lk_get(lease->parts[0], "crt")->text;
  if (!lk_read(crt, certificate, strlen(certificate), LK_LEASE_MAX, "lk-cert+jwt", 3, NULL)) return "malformed";
  while (*roots && !(lk_is_key(*roots, NULL, options) && lk_is_signed_by(crt, *roots))) roots++;
  if (!*roots) return "wrong_root";
  const lk_node *claims = crt->parts[1], *rvk = lk_get(claims, "rvk");
  const char *x = lk_get(claims, "x")->text, *kid = lk_get(claims, "kid")->text;
  if (!lk_has(claims, "kid:s x:k nbf:t exp:t use:s rvk?:S") || !lk_equals(lk_get(claims, "use"), "lease")
      || !lk_equals(lk_get(lease->parts[0], "kid"), kid) || !lk_is_key(x, kid, NULL)) return "bad_certificate";
  for (const lk_node *one = rvk + 1; one < rvk + rvk->size; one++) if (!strcmp(one->text, kid)) return "revoked_key";
  if (!lk_is_key(x, kid, options)) return "revoked_key";
  return lk_is_signed_by(lease, x) ? NULL : "bad_signature";
}
static int64_t lk_time(const lk_signed *s, const char *name) { return lk_get(s->parts[1], name)->number; }
static void lk_trim(const char **text, size_t *n) {
  while (*n && memchr(" \t\r\n", **text, 4)) ++*text, --*n;
  while (*n && memchr(" \t\r\n", (*text)[*n - 1], 4)) --*n;
}
/* Whether the revocation list is good, and has an entry for a lease. */
static int lk_is_revoked(const lk_signed *lease, const char *const *roots, const lk_options *options) {
  static const char *const lists[][3] = {{"lic", "lic", "lic_"}, {"act", "sub", "act_"}};
  const char *text = options->revocations;
  size_t n = options->revocations_length;
  lk_signed list = {0}, crt = {0};
  int is_revoked = 0;
  lk_trim(&text, &n);
  if (!lk_open(&list, &crt, text, n, LK_LIST_MAX, "lk-revocations+jwt", roots, options, NULL)
      && lk_has(list.parts[1], "iss:s seq:n iat:t exp:t lic:E act:E")
      && lk_time(&crt, "nbf") <= lk_time(&list, "iat") && lk_time(&list, "iat") <= lk_time(&crt, "exp"))
    for (int i = 0; i < 2; i++) {
      const lk_node *entries = lk_get(list.parts[1], lists[i][0]);
      const int64_t id = lk_id(lk_get(lease->parts[1], lists[i][1]), lists[i][2]);
      for (const lk_node *one = entries + 1; one < entries + entries->size; one += one->size)
        is_revoked |= one[1].number == id && lk_time(lease, "iat") <= one[2].number;
    }
  free(list.memory), free(crt.memory);
  return is_revoked;
}
static const char *lk_check(lk_signed *lease, lk_signed *crt, const char *text, size_t n, const char *const *roots,
                            const lk_options *options, lk_result *result) {
  static const char prefix[] = "LKLEASE1.";
  char hash[44];
  lk_trim(&text, &n);
  if (n >= strlen(prefix) && !memcmp(text, prefix, strlen(prefix))) text += strlen(prefix), n -= strlen(prefix);
  const char *code = lk_open(lease, crt, text, n, LK_LEASE_MAX, "lk-lease+jwt", roots, options, result->claims);
  if (code) return code;
  const lk_node *claims = lease->parts[1], *fp = lk_get(claims, "fp"), *prd = lk_get(claims, "prd"), *lxp = lk_get(claims, "lxp");
  const int64_t iat = lk_time(lease, "iat"), ref = lk_time(lease, "ref"), exp = lk_time(lease, "exp"), grc = lk_time(lease, "grc");
  if (!lk_has(claims, "iss:s jti:s sub?:a lic:l prd?:n fp?:k cnf?:c st:s ent:S iat:t ref:t exp:t grc:t lxp?:t n?:s")
      || iat > ref || ref > exp || exp > grc || (lxp->kind && grc > lxp->number)) return "malformed";
  if (lk_time(crt, "nbf") > iat || grc > lk_time(crt, "exp")) return "bad_certificate";
  if (options->fingerprint) lk_hash(options->fingerprint, strlen(options->fingerprint), hash);
  if (options->fingerprint ? !lk_equals(fp, hash) : fp->kind) return "other_device";
  if (options->device_key && !lk_equals(lk_get(lk_get(claims, "cnf"), "x"), options->device_key)) return "other_device";
  if (options->product && prd->kind && prd->number != *options->product) return "other_product";
  if (options->nonce && !lk_equals(lk_get(claims, "n"), options->nonce)) return "other_nonce";
  if (options->revocations && lk_is_revoked(lease, roots, options)) return "revoked";
  if (iat - LK_AHEAD_MAX > options->now) return "clock";
  result->state = options->now < exp ? "licensed" : options->now < grc ? "grace" : "expired";
  return NULL;
}
/* Verifies a lease, with or without LKLEASE1. before it. The roots are the pinned keys, in base64url, with NULL at the end. */
static lk_result lk_verify(const char *lease, size_t length, const char *const *roots, const lk_options *options) {
  lk_signed signed_lease = {0}, crt = {0};
  lk_result result = {.state = "refused"};
  result.code = sodium_init() < 0 ? "malformed" : lk_check(&signed_lease, &crt, lease, length, roots, options, &result);
  if (result.code) result.claims[0] = 0;
  free(signed_lease.memory), free(crt.memory);
  return result;
}
