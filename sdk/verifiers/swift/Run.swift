// Answers the questions of ../run.ts, a line for each: see ../README.md.
import Foundation

@main
struct Run {
    static func main() {
        while let line = readLine() {
            print(answer(line.split(separator: " ", omittingEmptySubsequences: false).map { $0 == "-" ? nil : String(decoding: Data(base64Encoded: String($0))!, as: UTF8.self) }))
            fflush(stdout)
        }
    }

    static func answer(_ fields: [String?]) -> String {
        let list = { (text: String?) in text?.split(separator: ",").map(String.init) ?? [] }
        var options = LeaseOptions()
        options.now = Int64(fields[2]!)!
        options.fingerprint = fields[3]
        options.deviceKey = fields[4]
        options.product = fields[5].flatMap(Int64.init)
        options.nonce = fields[6]
        options.revokedKeys = Set(list(fields[7]))
        options.revocations = fields[8]
        do {
            let lease = try Lease(verifying: fields[0]!, roots: list(fields[1]), options: options)
            let text = { (name: String) in lease.claims[name] as? String ?? "" }
            let ent = (lease.claims["ent"] as! [String]).joined(separator: ",")
            let summary = [text("jti"), text("sub"), ent, text("n")].joined(separator: "\n")
            return "\(lease.state) - \(Data(summary.utf8).base64EncodedString())"
        } catch {
            return "refused \((error as! LeaseRefusal).code) -"
        }
    }
}
