// Verifies leases of Latchkey without a network, by the steps of docs/integrate/lease-format.md. Needs CryptoKit, or
// the package swift-crypto where there is none. You may copy this file, under any terms (CC0 1.0).
import Foundation
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// What the program knows. Nil for what it does not use.
public struct LeaseOptions {
    public var now = Int64(Date().timeIntervalSince1970) // the present time, in seconds since 1970
    public var fingerprint: String? // of this device, not hashed. Without one, a lease for a device is refused
    public var deviceKey: String? // its public half, in base64url
    public var product: Int64?, nonce: String?
    public var revokedKeys: Set<String> = [] // their ids
    public var revocations: String? // a revocation list. One that does not verify counts as none
    public init() {}
}
/// Why a lease is refused: a code of the format.
public struct LeaseRefusal: Error { public let code: String }

/// A good lease, and its payload.
public struct Lease {
    public enum State: String { case licensed, grace, expired }
    public let state: State, claims: [String: Any]
    /// Verifies a lease, with or without `LKLEASE1.` before it. Roots are the pinned keys, in base64url.
    /// - Throws: `LeaseRefusal`
    public init(verifying lease: String, roots: [String], options: LeaseOptions = LeaseOptions()) throws {
        var text = trimmed(lease)
        if text.starts(with: "LKLEASE1.".utf8) { text = text.dropFirst(9) }
        let (claims, crt) = try open(text, "lk-lease+jwt", roots, options)
        try check(fits(claims, ["iss": "text", "jti": "text", "sub?": "act_", "lic": "lic_", "prd?": "number",
            "fp?": "key", "cnf?": "cnf", "st": "text", "ent": "text*", "iat": "time", "ref": "time", "exp": "time",
            "grc": "time", "lxp?": "time", "n?": "text"]), "malformed")
        let times = ["iat", "ref", "exp", "grc", "lxp"].compactMap { integer(claims[$0]) }
        try check(zip(times, times.dropFirst()).allSatisfy(<=), "malformed")
        let (iat, exp, grc) = (times[0], times[2], times[3])
        try check(integer(crt["nbf"])! <= iat && grc <= integer(crt["exp"])!, "bad_certificate")
        try check(same(claims["fp"], options.fingerprint.map { hash(Data($0.utf8)) }), "other_device")
        try check(options.deviceKey == nil || same((claims["cnf"] as? Object)?["x"], options.deviceKey), "other_device")
        try check(options.product == nil || [nil, options.product].contains(integer(claims["prd"])), "other_product")
        try check(options.nonce == nil || same(claims["n"], options.nonce), "other_nonce")
        try check(!isRevoked(claims, iat, roots, options), "revoked")
        try check(iat - 300 <= options.now, "clock")
        state = options.now < exp ? .licensed : options.now < grc ? .grace : .expired
        self.claims = claims
    }
}

private typealias Bytes = ArraySlice<UInt8>
private typealias Object = [String: Any]
private func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
private func check(_ isGood: Bool, _ code: String) throws { if !isGood { throw LeaseRefusal(code: code) } }
private func trimmed(_ text: String) -> Bytes {
    let start = Array(text.utf8).drop(while: isSpace)
    return start[..<(start.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start.startIndex)]
}
/// Steps 1 to 6: the payload of a lease or revocation list, and that of its certificate.
private func open(_ text: Bytes, _ typ: String, _ roots: [String], _ options: LeaseOptions) throws -> (Object, Object) {
    let (header, claims, isSignedBy) = try read(text, typ)
    let (_, crt, isCertifiedBy) = try read(Array((header["crt"] as? String ?? "").utf8)[...], "lk-cert+jwt")
    try check(roots.contains { !options.revokedKeys.contains(keyId($0) ?? "") && isCertifiedBy($0) }, "wrong_root")
    let members = ["kid": "text", "x": "key", "nbf": "time", "exp": "time", "use": "text", "rvk?": "text*"]
    guard fits(crt, members), let kid = crt["kid"] as? String, let x = crt["x"] as? String, same(crt["use"], "lease"),
        same(header["kid"], kid), same(kid, keyId(x)) else { throw LeaseRefusal(code: "bad_certificate") }
    try check(!options.revokedKeys.union(crt["rvk"] as? [String] ?? []).contains(kid), "revoked_key")
    try check(isSignedBy(x), "bad_signature")
    return (claims, crt)
}
/// Header and payload of a text of the right form, and what tells whether a key has signed it.
private func read(_ text: Bytes, _ typ: String) throws -> (Object, Object, (String) -> Bool) {
    let isShort = text.count <= (typ == "lk-revocations+jwt" ? 4 << 20 : 8_192)
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    let bytes = isShort && parts.count == 3 ? parts.compactMap(decode) : []
    guard bytes.count == 3, let header = object(bytes[0]), let claims = object(bytes[1]), header["kid"] is String,
        same(header["alg"], "EdDSA"), same(header["typ"], typ), header.count == (typ == "lk-cert+jwt" ? 3 : 4)
    else { throw LeaseRefusal(code: "malformed") }
    return (header, claims, { x in
        let key = decode(Array(x.utf8)[...]).flatMap { try? Curve25519.Signing.PublicKey(rawRepresentation: $0) }
        return key?.isValidSignature(bytes[2], for: Data(text[..<(parts[2].startIndex - 1)])) ?? false
    })
}
/// The object in JSON in which no name occurs twice, nor has a backslash.
private func object(_ json: Data) -> Object? {
    // JSONSerialization takes UTF-16, byte order marks, and a comma before a bracket, too.
    guard !json.contains(0), json.first(where: { !isSpace($0) }) == UInt8(ascii: "{"),
        String(data: json, encoding: .utf8) != nil else { return nil }
    var (plain, names) = ([UInt8](json), Set<Bytes>())
    for i in plain.indices.dropLast() where plain[i] == UInt8(ascii: "\\") { plain[i + 1] = 0 } // which may be a quote
    let pieces = plain.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    for i in stride(from: 0, to: pieces.count, by: 2) { // what is between strings
        let marks = pieces[i].filter { !isSpace($0) }, pairs = zip(marks, marks.dropFirst())
        if pairs.contains(where: { $0 == UInt8(ascii: ",") && "]}".utf8.contains($1) }) { return nil }
        guard i > 0, marks.first == UInt8(ascii: ":") else { continue }
        if pieces[i - 1].contains(UInt8(ascii: "\\")) || !names.insert(pieces[i - 1]).inserted { return nil }
    }
    return (try? JSONSerialization.jsonObject(with: json)) as? Object
}
/// Whether the revocation list is good, and has an entry for a lease.
private func isRevoked(_ lease: Object, _ signed: Int64, _ roots: [String], _ options: LeaseOptions) -> Bool {
    let members = ["iss": "text", "seq": "number", "iat": "time", "exp": "time", "lic": "entry*", "act": "entry*"]
    guard let (list, crt) = try? open(trimmed(options.revocations ?? ""), "lk-revocations+jwt", roots, options),
        fits(list, members), let iat = integer(list["iat"]), integer(crt["nbf"])! <= iat, iat <= integer(crt["exp"])!
    else { return false }
    return [("lic", "lic"), ("act", "sub")].contains { name, claim in
        (list[name] as! [[Any]]).contains { same(lease[claim], "\(name)_\($0[0])") && signed <= integer($0[1])! }
    }
}
/// The bytes of base64url without padding; nil if there are none, or the text is not canonical.
private func decode(_ part: Bytes) -> Data? {
    let (plus, slash, pad) = (UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="))
    let standard = part.map { $0 == UInt8(ascii: "-") ? plus : $0 == UInt8(ascii: "_") ? slash : $0 }
    let padded = Data(standard + [UInt8](repeating: pad, count: -part.count & 3))
    guard !part.isEmpty, !part.contains(where: [plus, slash, pad].contains) else { return nil }
    return Data(base64Encoded: padded).flatMap { $0.base64EncodedData() == padded ? $0 : nil }
}
private func hash(_ bytes: Data) -> String {
    let base64 = Data(SHA256.hash(data: bytes)).base64EncodedString().dropLast()
    return base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
}
private func keyId(_ x: String) -> String? {
    decode(Array(x.utf8)[...]).flatMap { $0.count == 32 ? String(hash($0).prefix(16)) : nil }
}
/// Compares byte by byte: `==` takes other forms of Unicode for the same. Nil for no text.
private func same(_ value: Any?, _ text: String?) -> Bool {
    (value as? String).map { Array($0.utf8) } == text.map { Array($0.utf8) }
}
/// An integer. JSONSerialization makes numbers of true and 1.0, too.
private func integer(_ value: Any?) -> Int64? {
    (value as? NSNumber).flatMap { "silqILQ".contains(String(cString: $0.objCType)) ? $0.int64Value : nil }
}
/// Whether an object has members of these kinds. ? is after names that may be left out.
private func fits(_ value: Object, _ members: [String: String]) -> Bool {
    members.allSatisfy { name, kind in value[name.filter { $0 != "?" }].map { isOf(kind, $0) } ?? name.hasSuffix("?") }
}
private func isOf(_ kind: String, _ value: Any) -> Bool {
    let (number, text, list) = (integer(value) ?? -1, value as? String, value as? [Any])
    switch kind {
    case "text": return text != nil
    case "key": return text.flatMap(keyId) != nil
    case "number": return number >= 0 && number < 1 << 53
    case "time": return number >= 0 && number <= 253_402_300_799
    case "cnf": return (value as? Object).map { fits($0, ["x": "key"]) } ?? false
    case "entry": return list.map { $0.count == 2 && isOf("number", $0[0]) && isOf("time", $0[1]) } ?? false
    case "text*", "entry*": return list?.allSatisfy { isOf(String(kind.dropLast()), $0) } ?? false
    default: return text?.range(of: "\\A\(kind)(0|[1-9][0-9]{0,14})\\z", options: .regularExpression) != nil
    }
}
