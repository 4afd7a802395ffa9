/* Answers the questions of ../run.ts, a line for each: see ../README.md. */
#define _POSIX_C_SOURCE 200809L
#include "latchkey.h"
#include <stdio.h>

enum { LEASE, ROOTS, NOW, FINGERPRINT, DEVICE_KEY, PRODUCT, NONCE, REVOKED_KEYS, REVOCATIONS, FIELDS };
#define BASE64 sodium_base64_VARIANT_ORIGINAL

/* Cuts a text at its commas. The list ends with NULL. */
static void split(char *text, const char *list[16]) {
  int count = 0;
  for (char *part = text ? strtok(text, ",") : NULL; part && count < 15; part = strtok(NULL, ",")) list[count++] = part;
  list[count] = NULL;
}
/* jti, sub, ent and n of the claims, a line for each. */
static void summarize(const char *claims, char *out) {
  const char *ent = lk_get(claims, "ent"), *comma = "";
  out += sprintf(out, "%s\n%s\n", lk_text(claims, "jti"), lk_text(claims, "sub"));
  for (const char *p = *ent ? lk_space(ent + 1) : ent; *p == '"'; p = lk_next(p), comma = ",") out += sprintf(out, "%s%s", comma, p + 1);
  sprintf(out, "\n%s", lk_text(claims, "n"));
}
int main(void) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    char *fields[FIELDS] = {0}, *at = line, summary[LK_LEASE_MAX] = "", encoded[2 * LK_LEASE_MAX];
    size_t lengths[FIELDS] = {0};
    const char *roots[16], *revoked[16];
    for (int i = 0; i < FIELDS; i++) {
      const size_t n = strcspn(at, " \n");
      if (*at != '-' || n != 1) {
        fields[i] = malloc(n + 1); /* of exactly the right size, so that reading beyond the end is found */
        if (sodium_base642bin((unsigned char *)fields[i], n, at, n, NULL, &lengths[i], NULL, BASE64)) return 1;
        fields[i] = realloc(fields[i], lengths[i] + (i != LEASE) + (lengths[i] == 0));
        if (i != LEASE) fields[i][lengths[i]] = 0;
      }
      at += n + 1;
    }
    const int64_t product = fields[PRODUCT] ? strtoll(fields[PRODUCT], NULL, 10) : 0;
    lk_options options = {.now = strtoll(fields[NOW], NULL, 10), .fingerprint = fields[FINGERPRINT]};
    options.device_key = fields[DEVICE_KEY];
    options.product = fields[PRODUCT] ? &product : NULL;
    options.nonce = fields[NONCE];
    options.revocations = fields[REVOCATIONS];
    split(fields[REVOKED_KEYS], revoked), options.revoked_keys = revoked;
    split(fields[ROOTS], roots), options.roots = roots;
    lk_result result = lk_verify(fields[LEASE], lengths[LEASE], &options);
    if (!result.code) summarize(result.claims, summary);
    sodium_bin2base64(encoded, sizeof encoded, (unsigned char *)summary, strlen(summary), BASE64);
    printf("%s %s %s\n", result.state, result.code ? result.code : "-", encoded);
    fflush(stdout);
    for (int i = 0; i < FIELDS; i++) free(fields[i]);
  }
  free(line);
  return 0;
}
