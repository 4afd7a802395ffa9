/* Answers the questions of ../run.ts, a line for each: see ../README.md. */
#define _POSIX_C_SOURCE 200809L
#include "latchkey.h"
#include <stdio.h>

enum { LEASE, ROOTS, NOW, FINGERPRINT, DEVICE_KEY, PRODUCT, NONCE, REVOKED_KEYS, REVOCATIONS, FIELDS };
#define BASE64 sodium_base64_VARIANT_ORIGINAL

/* Cuts a text at its commas. The list ends with NULL. */
static size_t split(char *text, const char *list[16]) {
  size_t count = 0;
  for (char *part = text ? strtok(text, ",") : NULL; part && count < 15; part = strtok(NULL, ",")) list[count++] = part;
  list[count] = NULL;
  return count;
}
/* jti, sub, ent and n of the claims, a line for each. */
static void summarize(char *claims, char *out) {
  lk_node nodes[LK_LEASE_MAX / 2];
  const char *names[LK_LEASE_MAX / 2];
  const lk_node *object = lk_object(claims, strlen(claims), nodes, names, NULL);
  if (!object) return;
  const lk_node *ent = lk_get(object, "ent");
  out += sprintf(out, "%s\n%s\n", lk_get(object, "jti")->text, lk_get(object, "sub")->text);
  for (const lk_node *one = ent + 1; one < ent + ent->size; one++) out += sprintf(out, "%s%s", one > ent + 1 ? "," : "", one->text);
  sprintf(out, "\n%s", lk_get(object, "n")->text);
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
        fields[i] = realloc(fields[i], lengths[i] + (i != LEASE && i != REVOCATIONS) + (lengths[i] == 0));
        if (i != LEASE && i != REVOCATIONS) fields[i][lengths[i]] = 0;
      }
      at += n + 1;
    }
    const int64_t product = fields[PRODUCT] ? strtoll(fields[PRODUCT], NULL, 10) : 0;
    lk_options options = {.now = strtoll(fields[NOW], NULL, 10), .fingerprint = fields[FINGERPRINT]};
    options.device_key = fields[DEVICE_KEY];
    options.product = fields[PRODUCT] ? &product : NULL;
    options.nonce = fields[NONCE];
    options.revoked_keys_count = split(fields[REVOKED_KEYS], revoked);
    options.revoked_keys = revoked;
    options.revocations = fields[REVOCATIONS];
    options.revocations_length = lengths[REVOCATIONS];
    split(fields[ROOTS], roots);
    lk_result result = lk_verify(fields[LEASE], lengths[LEASE], roots, &options);
    summarize(result.claims, summary);
    sodium_bin2base64(encoded, sizeof encoded, (unsigned char *)summary, strlen(summary), BASE64);
    printf("%s %s %s\n", result.state, result.code ? result.code : "-", encoded);
    fflush(stdout);
    for (int i = 0; i < FIELDS; i++) free(fields[i]);
  }
  free(line);
  return 0;
}
