// What LatchkeyLease.swift uses of swift-crypto, over libsodium. Debian has no package of swift-crypto: only the test uses this.
import CSodium
import Foundation

public enum Curve25519 {
    public enum Signing {
        public struct PublicKey {
            struct WrongLength: Error {}
            let bytes: [UInt8]

            public init(rawRepresentation: Data) throws {
                guard rawRepresentation.count == 32 else { throw WrongLength() }
                bytes = Array(rawRepresentation)
            }

            public func isValidSignature(_ signature: Data, for data: Data) -> Bool {
                signature.count == 64
                    && crypto_sign_verify_detached(Array(signature), Array(data), UInt64(data.count), bytes) == 0
            }
        }
    }
}

public enum SHA256 {
    public static func hash(data: Data) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&digest, Array(data), UInt64(data.count))
        return digest
    }
}
