"""Answers the questions of ../run.ts, a line for each: see ../README.md."""
import base64
import sys

from latchkey_lease import verify


def text(field):
    return None if field == "-" else base64.b64decode(field).decode()


for line in sys.stdin:
    lease, roots, now, fingerprint, device_key, product, nonce, revoked, revocations = map(text, line.rstrip("\n").split(" "))
    result = verify(
        lease,
        roots.split(","),
        now=int(now),
        fingerprint=fingerprint,
        device_key=device_key,
        product=None if product is None else int(product),
        nonce=nonce,
        revoked_keys=revoked.split(",") if revoked else [],
        revocations=revocations,
    )
    claims = result.claims or {}
    summary = "\n".join([claims.get("jti", ""), claims.get("sub", ""), ",".join(claims.get("ent", [])), claims.get("n", "")])
    print(result.state, result.code or "-", base64.b64encode(summary.encode()).decode(), flush=True)
