//! Verifies leases of Latchkey without a network, by the steps of docs/integrate/lease-format.md. Needs
//! the crates ed25519-dalek 2, sha2 0.10, base64 0.22 and serde_json 1. You may copy it under any terms (CC0 1.0).

use base64::{engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL, Engine};
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

type Form = (&'static str, &'static str, usize); // `typ`, members of the header, most characters
const LEASE: Form = ("lk-lease+jwt", "alg:text typ:text kid:text crt:text", 8_192);
const LIST: Form = ("lk-revocations+jwt", "alg:text typ:text kid:text crt:text", 4 << 20);
const CERTIFICATE: Form = ("lk-cert+jwt", "alg:text typ:text kid:text", 8_192);
const CLAIMS: &str = "iss:text jti:text sub?:act_ lic:lic_ prd?:number fp?:hash cnf?:cnf st:text ent:text* \
    iat:time ref:time exp:time grc:time lxp?:time n?:text";
const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// What the program knows. Leave out the rest with `..Default::default()`.
#[derive(Default)]
pub struct Options<'a> {
    pub now: u64,                     // the present time, in seconds since 1970
    pub fingerprint: Option<&'a str>, // of this device: itself, not its hash
    pub device_key: Option<&'a str>,  // its public half, in base64url
    pub product: Option<u64>,
    pub nonce: Option<&'a str>,
    pub revoked_keys: &'a [&'a str],  // their ids
    pub revocations: Option<&'a str>, // a revocation list. One that does not verify counts as none
}

/// A good lease: `state` is `licensed`, `grace` or `expired`; `claims` are its payload, with `ent` and the others.
#[derive(Debug)]
pub struct Lease {
    pub state: &'static str,
    pub claims: Value,
}

/// Verifies a lease. `roots` are the pinned public keys, in base64url. The error is the code of the step that failed.
pub fn verify(lease: &str, roots: &[&str], options: &Options) -> Result<Lease, &'static str> {
    let text = lease.trim_matches(WHITE_SPACE);
    let (crt, claims) = open(text.strip_prefix("LKLEASE1.").unwrap_or(text), LEASE, roots, options.revoked_keys)?;
    let [iat, fetch, exp, grc] = ["iat", "ref", "exp", "grc"].map(|name| claims[name].as_u64());
    let is_ordered = iat <= fetch && fetch <= exp && exp <= grc && grc <= claims["lxp"].as_u64().or(grc);
    ensure(has(&claims, CLAIMS) && is_ordered, "malformed")?;
    ensure(crt["nbf"].as_u64() <= iat && grc <= crt["exp"].as_u64(), "bad_certificate")?;
    let hash = options.fingerprint.map(|fingerprint| BASE64URL.encode(Sha256::digest(fingerprint)));
    ensure(claims["fp"].as_str() == hash.as_deref(), "other_device")?;
    ensure(options.device_key.is_none_or(|x| claims["cnf"]["x"] == x), "other_device")?;
    ensure(options.product.is_none_or(|prd| claims["prd"].is_null() || claims["prd"] == prd), "other_product")?;
    ensure(options.nonce.is_none_or(|nonce| claims["n"] == nonce), "other_nonce")?;
    ensure(!options.revocations.is_some_and(|list| is_revoked(&claims, list, roots, options.revoked_keys)), "revoked")?;
    ensure(iat <= Some(options.now.saturating_add(300)), "clock")?;
    let state = match Some(options.now) {
        now if now < exp => "licensed",
        now if now < grc => "grace",
        _ => "expired",
    };
    Ok(Lease { state, claims })
}
fn ensure(is_good: bool, code: &'static str) -> Result<(), &'static str> {
    is_good.then_some(()).ok_or(code)
}

/// Steps 1 to 6: the payload of the certificate, and that of the text.
fn open(text: &str, form: Form, roots: &[&str], revoked: &[&str]) -> Result<(Value, Value), &'static str> {
    let (header, claims, is_signed_by) = read(text, form).ok_or("malformed")?;
    let (_, crt, is_certified_by) = read(header["crt"].as_str().unwrap_or_default(), CERTIFICATE).ok_or("malformed")?;
    let is_revoked = |x: &str| key_id(x).is_some_and(|id| revoked.contains(&id.as_str()));
    ensure(roots.iter().any(|root| !is_revoked(root) && is_certified_by(root).is_some()), "wrong_root")?;
    let x = crt["x"].as_str().unwrap_or_default();
    let is_named = crt["kid"] == header["kid"] && crt["kid"].as_str() == key_id(x).as_deref();
    let is_good = has(&crt, "kid:text x:hash nbf:time exp:time use:text rvk?:text*") && crt["use"] == "lease";
    ensure(is_good && is_named, "bad_certificate")?;
    let is_in_rvk = || crt["rvk"].as_array().is_some_and(|rvk| rvk.contains(&crt["kid"]));
    ensure(!is_revoked(x) && !is_in_rvk(), "revoked_key")?;
    ensure(is_signed_by(x).is_some(), "bad_signature")?;
    Ok((crt, claims))
}

/// Whether a revocation list is good, and has an entry for a lease.
fn is_revoked(lease: &Value, list: &str, roots: &[&str], revoked: &[&str]) -> bool {
    let Ok((crt, list)) = open(list.trim_matches(WHITE_SPACE), LIST, roots, revoked) else { return false };
    let [nbf, iat, exp] = [&crt["nbf"], &list["iat"], &crt["exp"]].map(Value::as_u64);
    let is_good = has(&list, "iss:text seq:number iat:time exp:time lic:entry* act:entry*") && nbf <= iat && iat <= exp;
    let is_on = |entries: &str, id: Option<u64>| {
        let is_for = |entry: &Value| entry[0].as_u64() == id && lease["iat"].as_u64() <= entry[1].as_u64();
        list[entries].as_array().is_some_and(|entries| entries.iter().any(is_for))
    };
    is_good && (is_on("lic", number(&lease["lic"], "lic_")) || is_on("act", number(&lease["sub"], "act_")))
}

/// Header and payload of a text of the right form, and what tells whether a key has signed it.
fn read(text: &str, (typ, members, max): Form) -> Option<(Value, Value, impl Fn(&str) -> Option<()> + '_)> {
    let (message, signature) = text.rsplit_once('.').filter(|_| text.len() <= max)?;
    let (header, claims) = message.split_once('.')?;
    let (header, claims) = (object(header)?, object(claims)?);
    let signature = BASE64URL.decode(signature).ok().filter(|bytes| !bytes.is_empty())?;
    let is_exact = has(&header, members) && header.as_object()?.len() == members.split(' ').count();
    let is_signed_by = move |x: &str| {
        let key = VerifyingKey::from_bytes(&bytes32(x)?).ok()?;
        key.verify_strict(message.as_bytes(), &Signature::from_slice(&signature).ok()?).ok()
    };
    (is_exact && header["alg"] == "EdDSA" && header["typ"] == typ).then_some((header, claims, is_signed_by))
}

/// The object in base64url of JSON, unless a name occurs twice or has an escape: `serde_json` takes the last of two.
fn object(part: &str) -> Option<Value> {
    let json = String::from_utf8(BASE64URL.decode(part).ok()?).ok()?;
    let object = serde_json::from_str(&json).ok().filter(Value::is_object)?;
    let plain = json.replace(r"\\", r"\/").replace(r#"\""#, r"\/");
    let pieces: Vec<&str> = plain.split('"').skip(1).collect(); // each string, and what is between it and the next
    let is_name = |pair: &&[&str]| pair[1].trim_start().starts_with(':');
    let mut names = HashSet::new();
    let is_good = pieces.chunks_exact(2).filter(is_name).all(|pair| !pair[0].contains('\\') && names.insert(pair[0]));
    is_good.then_some(object)
}

/// Whether an object has members of these kinds. `?` is after names that may be left out.
fn has(object: &Value, members: &str) -> bool {
    members
        .split(' ')
        .filter_map(|member| member.split_once(':'))
        .all(|(name, kind)| object.get(name.trim_end_matches('?')).map_or(name.ends_with('?'), |value| is(value, kind)))
}
fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "text" => value.is_string(),
        "number" => value.as_u64().is_some_and(|number| number < 1 << 53),
        "time" => value.as_u64().is_some_and(|time| time <= 253_402_300_799),
        "hash" => value.as_str().and_then(bytes32).is_some(),
        "cnf" => is(&value["x"], "hash"),
        "entry" => matches!(value.as_array().map(Vec::as_slice), Some([id, at]) if is(id, "number") && is(at, "time")),
        "text*" | "entry*" => {
            value.as_array().is_some_and(|list| list.iter().all(|one| is(one, &kind[..kind.len() - 1])))
        }
        prefix => number(value, prefix).is_some(),
    }
}

/// The number in `lic_7` and `act_41`.
fn number(id: &Value, prefix: &str) -> Option<u64> {
    let digits = id.as_str()?.strip_prefix(prefix).filter(|digits| digits.len() <= 15)?;
    digits.parse().ok().filter(|number: &u64| number.to_string() == digits)
}
fn bytes32(x: &str) -> Option<[u8; 32]> {
    BASE64URL.decode(x).ok()?.try_into().ok()
}
fn key_id(x: &str) -> Option<String> {
    Some(BASE64URL.encode(Sha256::digest(bytes32(x)?))[..16].to_owned())
}
