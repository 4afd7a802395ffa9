// Verifies leases of Latchkey without a network, by the steps of docs/integrate/lease-format.md. Needs CryptoKit, or the
// package swift-crypto where there is none. You may copy this file, under any terms (CC0 1.0).
import Foundation
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// What the program knows. Nil for what it does not use.
public struct LeaseOptions {
    /// The present time, in seconds since 1970.
    public var now = Int64(Date().timeIntervalSince1970)
    /// The fingerprint of this device, not hashed. Without one, a lease for a device is refused.
    public var fingerprint: String?
    /// The public half of the device key, in base64url.
    public var deviceKey: String?
    public var product: Int64?
    public var nonce: String?
    /// Ids of revoked keys.
    public var revokedKeys: Set<String> = []
    /// A revocation list, as the server gives it. One that does not verify counts as none.
    public var revocations: String?
    public init() {}
}

/// Why a lease is refused. The raw value is the code.
public enum LeaseRefusal: String, Error {
    case malformed, wrongRoot = "wrong_root", badCertificate = "bad_certificate", revokedKey = "revoked_key"
    case badSignature = "bad_signature", otherDevice = "other_device", otherProduct = "other_product"
    case otherNonce = "other_nonce", revoked, clock
}

/// A good lease, and its payload.
public struct Lease {
    public enum State: String { case licensed, grace, expired }
    public let state: State
    public let claims: [String: Any]

    /// Verifies a lease, with or without `LKLEASE1.` before it.
    /// - Parameter roots: The pinned root keys, each 32 bytes in base64url.
    /// - Throws: `LeaseRefusal`
    public init(verifying lease: String, roots: [String], options: LeaseOptions = LeaseOptions()) throws {
        var text = trimmed(lease)
        if text.starts(with: "LKLEASE1.".utf8) { text = text.dropFirst(9) }
        let (claims, crt) = try open(text, "lk-lease+jwt", 8_192, roots, options)
        try check(fits(claims, ["iss": "text", "jti": "text", "sub?": "act_", "lic": "lic_", "prd?": "number", "fp?": "key",
            "cnf?": "cnf", "st": "text", "ent": "text*", "iat": "time", "ref": "time", "exp": "time", "grc": "time",
            "lxp?": "time", "n?": "text"]), .malformed)
        let times = ["iat", "ref", "exp", "grc", "lxp"].compactMap { integer(claims[$0]) }
        try check(zip(times, times.dropFirst()).allSatisfy(<=), .malformed)
        let (iat, exp, grc) = (times[0], times[2], times[3])
        try check(integer(crt["nbf"])! <= iat && grc <= integer(crt["exp"])!, .badCertificate)
        try check(same(claims["fp"], options.fingerprint.map { hash(Array($0.utf8)) }), .otherDevice)
        let key = (claims["cnf"] as? [String: Any])?["x"]
        try check(options.deviceKey == nil || same(key, options.deviceKey), .otherDevice)
        try check(options.product == nil || claims["prd"] == nil || integer(claims["prd"]) == options.product, .otherProduct)
        try check(options.nonce == nil || same(claims["n"], options.nonce), .otherNonce)
        try check(!isRevoked(claims, iat, roots, options), .revoked)
        try check(iat - 300 <= options.now, .clock)
        state = options.now < exp ? .licensed : options.now < grc ? .grace : .expired
        self.claims = claims
    }
}

private typealias Bytes = ArraySlice<UInt8>
private let whiteSpace = Set(" \t\r\n".utf8)

private func check(_ isGood: Bool, _ refusal: LeaseRefusal) throws { if !isGood { throw refusal } }

private func trimmed(_ text: String) -> Bytes {
    let start = Array(text.utf8).drop { whiteSpace.contains($0) }
    return start.prefix((start.lastIndex { !whiteSpace.contains($0) } ?? start.startIndex - 1) - start.startIndex + 1)
}

/// Steps 1 to 6: the payload of a lease or revocation list, and that of its certificate.
private func open(_ text: Bytes, _ typ: String, _ max: Int, _ roots: [String], _ options: LeaseOptions) throws
    -> ([String: Any], [String: Any]) {
    let (header, claims, isSignedBy) = try read(text, typ, ["kid": "text", "crt": "text"], max)
    let inner = Array((header["crt"] as! String).utf8)[...]
    let (_, crt, isCertifiedBy) = try read(inner, "lk-cert+jwt", ["kid": "text"], 8_192)
    let isRevoked = { (id: String?) in id == nil || options.revokedKeys.contains(id!) }
    try check(roots.contains { !isRevoked(keyId($0)) && isCertifiedBy($0) }, .wrongRoot)
    try check(fits(crt, ["kid": "text", "x": "key", "nbf": "time", "exp": "time", "use": "text", "rvk?": "text*"]), .badCertificate)
    let (kid, x) = (crt["kid"] as! String, crt["x"] as! String)
    try check(same(crt["use"], "lease") && same(header["kid"], kid) && same(kid, keyId(x)), .badCertificate)
    try check(!isRevoked(kid) && !(crt["rvk"] as? [String] ?? []).contains(kid), .revokedKey)
    try check(isSignedBy(x), .badSignature)
    return (claims, crt)
}

/// Header and payload of a text of the right form, and what tells whether a key has signed it.
private func read(_ text: Bytes, _ typ: String, _ members: [String: String], _ max: Int) throws
    -> ([String: Any], [String: Any], (String) -> Bool) {
    let parts = text.count <= max ? text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false) : []
    let bytes = parts.compactMap(decode)
    guard parts.count == 3, bytes.count == 3, let header = object(bytes[0]), let claims = object(bytes[1]) else {
        throw LeaseRefusal.malformed
    }
    let isExact = header.count == members.count + 2 && fits(header, members)
    try check(isExact && same(header["alg"], "EdDSA") && same(header["typ"], typ), .malformed)
    let message = Data(text[..<(parts[2].startIndex - 1)])
    return (header, claims, { x in
        let key = decode(Array(x.utf8)[...]).flatMap { try? Curve25519.Signing.PublicKey(rawRepresentation: $0) }
        return key?.isValidSignature(Data(bytes[2]), for: message) ?? false
    })
}

/// The object in JSON in which no name occurs twice, nor has a backslash.
private func object(_ json: [UInt8]) -> [String: Any]? {
    let (quote, backslash, colon) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: ":"))
    // JSONSerialization takes UTF-16, byte order marks, and a comma before a bracket, too.
    guard !json.contains(0), json.first(where: { !whiteSpace.contains($0) }) == UInt8(ascii: "{"),
        String(bytes: json, encoding: .utf8) != nil,
        let value = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else { return nil }
    var (names, rest, outside) = (Set<Bytes>(), json[...], [UInt8]())
    while let start = rest.firstIndex(of: quote) {
        outside += rest[...start].filter { !whiteSpace.contains($0) }
        var end = start + 1
        while end < json.count, json[end] != quote { end += json[end] == backslash ? 2 : 1 }
        guard end < json.count else { return nil }
        let name = json[(start + 1)..<end]
        rest = json[(end + 1)...].drop { whiteSpace.contains($0) }
        if rest.first == colon, name.contains(backslash) || !names.insert(name).inserted { return nil }
    }
    outside += rest.filter { !whiteSpace.contains($0) }
    return zip(outside, outside.dropFirst()).contains { $0 == UInt8(ascii: ",") && "]}".utf8.contains($1) } ? nil : value
}

/// Whether the revocation list is good, and has an entry for a lease.
private func isRevoked(_ lease: [String: Any], _ signed: Int64, _ roots: [String], _ options: LeaseOptions) -> Bool {
    guard let text = options.revocations,
        let (list, crt) = try? open(trimmed(text), "lk-revocations+jwt", 4 << 20, roots, options),
        fits(list, ["iss": "text", "seq": "number", "iat": "time", "exp": "time", "lic": "entry*", "act": "entry*"]),
        integer(crt["nbf"])! <= integer(list["iat"])!, integer(list["iat"])! <= integer(crt["exp"])! else { return false }
    return [("lic", "lic"), ("act", "sub")].contains { name, claim in
        (list[name] as! [[Any]]).contains { same(lease[claim], "\(name)_\(integer($0[0])!)") && signed <= integer($0[1])! }
    }
}

/// The bytes of base64url without padding; nil if there are none, or the text is not canonical.
private func decode(_ part: Bytes) -> [UInt8]? {
    let base64 = part.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
    let bytes = Data(base64Encoded: Data(base64 + [UInt8](repeating: UInt8(ascii: "="), count: -part.count & 3)))
    return bytes.flatMap { !$0.isEmpty && encode($0).utf8.elementsEqual(part) ? [UInt8]($0) : nil }
}

private func encode(_ bytes: Data) -> String {
    let (plus, slash, pad) = (UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="))
    let base64 = bytes.base64EncodedData().prefix { $0 != pad }
    return String(decoding: base64.map { $0 == plus ? UInt8(ascii: "-") : $0 == slash ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
}
private func hash(_ bytes: [UInt8]) -> String { encode(Data(SHA256.hash(data: Data(bytes)))) }

private func keyId(_ x: String) -> String? {
    decode(Array(x.utf8)[...]).flatMap { $0.count == 32 ? String(hash($0).prefix(16)) : nil }
}

/// Compares byte by byte: `==` takes other forms of Unicode for the same. Nil for no text.
private func same(_ value: Any?, _ text: String?) -> Bool {
    guard let value = value as? String, let text else { return value == nil && text == nil }
    return value.utf8.elementsEqual(text.utf8)
}

/// An integer. JSONSerialization makes numbers of true and 1.0, too.
private func integer(_ value: Any?) -> Int64? {
    guard let number = value as? NSNumber, "silqILQ".contains(String(cString: number.objCType)) else { return nil }
    return number.int64Value
}

/// Whether an object has members of these kinds. ? is after names that may be left out.
private func fits(_ value: [String: Any], _ members: [String: String]) -> Bool {
    members.allSatisfy { name, kind in
        value[name.replacingOccurrences(of: "?", with: "")].map { isOf(kind, $0) } ?? name.hasSuffix("?")
    }
}

private func isOf(_ kind: String, _ value: Any) -> Bool {
    switch kind {
    case "text": return value is String
    case "key": return (value as? String).flatMap(keyId) != nil
    case "number": return (integer(value) ?? -1) >= 0 && integer(value)! < 1 << 53
    case "time": return (integer(value) ?? -1) >= 0 && integer(value)! <= 253_402_300_799
    case "cnf": return (value as? [String: Any]).map { fits($0, ["x": "key"]) } ?? false
    case "entry": return (value as? [Any]).map { $0.count == 2 && isOf("number", $0[0]) && isOf("time", $0[1]) } ?? false
    case "text*", "entry*": return (value as? [Any])?.allSatisfy { isOf(String(kind.dropLast()), $0) } ?? false
    default: return (value as? String)?.range(of: "\\A\(kind)(0|[1-9][0-9]{0,14})\\z", options: .regularExpression) != nil
    }
}
