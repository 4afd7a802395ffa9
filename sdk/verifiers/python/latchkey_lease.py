"""Verifies leases of Latchkey without a network. Needs Python 3.9 or later, and the package cryptography.

    if verify(text, [ROOT, SPARE_ROOT], fingerprint=device_id).state in ("licensed", "grace"): ...

The steps and codes are those of docs/integrate/lease-format.md. You may copy this file, under any terms (CC0 1.0).
"""
import base64, hashlib, json, re, time  # noqa: E401
from typing import NamedTuple, Optional, Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LEASE_MAX, LIST_MAX, AHEAD_MAX = 8_192, 4 * 1024 * 1024, 300  # characters, characters, seconds
NUMBER, TIME = 2**53 - 1, 253_402_300_799  # the largest
TEXT, ID, KEY = ".*", "_(0|[1-9][0-9]{0,14})", "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]"  # KEY: 32 bytes in base64url
CERTIFICATE = {"kid": TEXT, "x": KEY, "nbf": TIME, "exp": TIME, "use": "lease", "rvk?": [TEXT]}
LEASE = {"iss": TEXT, "jti": TEXT, "sub?": "act" + ID, "lic": "lic" + ID, "prd?": NUMBER, "fp?": KEY, "st": TEXT,
         "cnf?": {"x": KEY}, "ent": [TEXT], "iat": TIME, "ref": TIME, "exp": TIME, "grc": TIME, "lxp?": TIME, "n?": TEXT}
REVOCATIONS = {"iss": TEXT, "seq": NUMBER, "iat": TIME, "exp": TIME, "lic": [(NUMBER, TIME)], "act": [(NUMBER, TIME)]}


class Result(NamedTuple):
    state: str  # "licensed", "grace", "expired" or "refused"
    code: Optional[str] = None  # why it is refused
    claims: Optional[dict] = None  # the payload, unless it is refused


def verify(lease: str, roots: Sequence[str], *, now: Optional[int] = None, fingerprint: Optional[str] = None,
           device_key: Optional[str] = None, product: Optional[int] = None, nonce: Optional[str] = None,
           revoked_keys: Sequence[str] = (), revocations: Optional[str] = None) -> Result:
    """Verifies a lease, and tells its state. It raises nothing, whatever the text is.

    lease: with or without LKLEASE1. before it. roots: the pinned root keys, each 32 bytes in base64url.
    now: seconds since 1970. fingerprint: of this device, not hashed; without one, a lease for a device is refused.
    device_key, product, nonce: what the lease must have. Without one, that step is left out.
    revoked_keys: ids of keys. revocations: the list as the server gives it; one that does not verify counts as none.
    """
    now = int(time.time()) if now is None else now
    try:
        text = lease.strip(" \t\r\n").removeprefix("LKLEASE1.")
        claims, cert = _signed(text, "lk-lease+jwt", LEASE_MAX, roots, revoked_keys)
        times = [claims[name] for name in ("iat", "ref", "exp", "grc", "lxp") if name in claims]
        _check(_fits(claims, LEASE) and times == sorted(times), "malformed")
        _check(cert["nbf"] <= claims["iat"] and claims["grc"] <= cert["exp"], "bad_certificate")
        _check(claims.get("fp") == (None if fingerprint is None else _hash(fingerprint.encode())), "other_device")
        _check(device_key is None or claims.get("cnf", {}).get("x") == device_key, "other_device")
        _check(product is None or claims.get("prd", product) == product, "other_product")
        _check(nonce is None or claims.get("n") == nonce, "other_nonce")
        _check(revocations is None or not _voids(revocations, claims, roots, revoked_keys), "revoked")
        _check(claims["iat"] <= now + AHEAD_MAX, "clock")
    except _Refused as refused:
        return Result("refused", str(refused))
    return Result("licensed" if now < claims["exp"] else "grace" if now < claims["grc"] else "expired", None, claims)


class _Refused(Exception):
    """Its text is the code."""


def _check(is_good: bool, code: str) -> None:
    if not is_good:
        raise _Refused(code)


def _signed(text: str, typ: str, longest: int, roots: Sequence[str], revoked_keys: Sequence[str]) -> tuple:
    """Steps 1 to 6: the payload of a lease or revocation list, and that of its certificate."""
    header, payload, is_signed_by = _compact(text, typ, ["kid", "crt"], longest)
    _, cert, is_certified_by = _compact(header["crt"], "lk-cert+jwt", ["kid"], LEASE_MAX)
    trusted = [root for root in roots if _key_id(root) not in revoked_keys]
    _check(any(map(is_certified_by, trusted)), "wrong_root")
    _check(_fits(cert, CERTIFICATE) and cert["kid"] == header["kid"] == _key_id(cert["x"]), "bad_certificate")
    _check(cert["kid"] not in (*revoked_keys, *cert.get("rvk", [])), "revoked_key")
    _check(is_signed_by(cert["x"]), "bad_signature")
    return payload, cert


def _compact(text: str, typ: str, members: list, longest: int) -> tuple:
    """The header, the payload, and whether a key has signed them."""
    parts = [_decode(part) for part in text.split(".", 3)] if len(text) <= longest else []
    _check(len(parts) == 3 and all(parts), "malformed")
    header, payload = _object(parts[0]), _object(parts[1])
    form = {**dict.fromkeys(members, TEXT), "alg": "EdDSA", "typ": re.escape(typ)}
    _check(header.keys() == form.keys() and _fits(header, form), "malformed")

    def is_signed_by(key: str) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(_decode(key)).verify(parts[2], text.rpartition(".")[0].encode())
            return True
        except (InvalidSignature, ValueError, TypeError):
            return False
    return header, payload, is_signed_by


def _object(data: bytes) -> dict:
    """The object in JSON in which no name occurs twice, nor has a backslash."""
    try:
        text = data.decode()
        value = json.loads(text, parse_constant=lambda _: _check(False, "malformed"))
    except (ValueError, RecursionError):
        raise _Refused("malformed") from None
    names = [name for name, colon in re.findall(r'"([^"\\]*(?:\\.[^"\\]*)*)"([ \t\r\n]*:)?', text) if colon]
    _check(isinstance(value, dict) and len(set(names)) == len(names) and "\\" not in "".join(names), "malformed")
    return value


def _voids(revocations: str, lease: dict, roots: Sequence[str], revoked_keys: Sequence[str]) -> bool:
    """Whether a revocation list is good, and has an entry for a lease."""
    try:
        entries, cert = _signed(revocations.strip(" \t\r\n"), "lk-revocations+jwt", LIST_MAX, roots, revoked_keys)
        _check(_fits(entries, REVOCATIONS) and cert["nbf"] <= entries["iat"] <= cert["exp"], "malformed")
    except _Refused:
        return False
    return any(lease.get(of) == f"{name}_{number}" and lease["iat"] <= until
               for of, name in (("lic", "lic"), ("sub", "act")) for number, until in entries[name])


def _decode(part: object) -> Optional[bytes]:
    """The bytes of base64url without padding; None unless it is canonical."""
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        return data if _encode(data) == part else None
    except (ValueError, TypeError):
        return None


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _hash(data: bytes) -> str:
    return _encode(hashlib.sha256(data).digest())


def _key_id(key: str) -> str:
    return _hash(_decode(key) or b"")[:16]


def _fits(value: object, form: object) -> bool:
    """Whether a value has a form: members, a list of one form, a list of given forms, a largest number, or text."""
    if isinstance(form, dict):
        return isinstance(value, dict) and all(
            _fits(value[key], one) if (key := name.rstrip("?")) in value else key != name for name, one in form.items())
    if isinstance(form, list):
        return isinstance(value, list) and all(_fits(one, form[0]) for one in value)
    if isinstance(form, tuple):
        return isinstance(value, list) and len(value) == len(form) and all(map(_fits, value, form))
    if isinstance(form, int):
        return type(value) is int and 0 <= value <= form
    return isinstance(value, str) and re.fullmatch(form, value, re.DOTALL) is not None
