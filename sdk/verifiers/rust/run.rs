//! Answers the questions of ../run.ts, a line for each: see ../README.md.
mod latchkey;

use base64::{engine::general_purpose::STANDARD, Engine};
use latchkey::{verify, Options};
use std::io::{stdin, stdout, BufRead, Write};

fn main() {
    for line in stdin().lock().lines().map(Result::unwrap) {
        let text = |field: &str| String::from_utf8(STANDARD.decode(field).unwrap()).unwrap();
        let fields: Vec<Option<String>> = line.split(' ').map(|field| (field != "-").then(|| text(field))).collect();
        let field = |index: usize| fields[index].as_deref();
        let list = |index: usize| field(index).map_or(Vec::new(), |text| text.split(',').collect());
        let revoked_keys: Vec<&str> = list(7);
        let options = Options {
            now: field(2).unwrap().parse().unwrap(),
            fingerprint: field(3),
            device_key: field(4),
            product: field(5).map(|number| number.parse().unwrap()),
            nonce: field(6),
            revoked_keys: &revoked_keys,
            revocations: field(8),
        };
        let answer = match verify(field(0).unwrap(), &list(1), &options) {
            Ok(lease) => {
                let claim = |name| lease.claims[name].as_str().unwrap_or_default();
                let ent: Vec<&str> =
                    lease.claims["ent"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
                let summary = [claim("jti"), claim("sub"), &ent.join(","), claim("n")].join("\n");
                format!("{} - {}", lease.state, STANDARD.encode(summary))
            }
            Err(code) => format!("refused {code} -"),
        };
        writeln!(stdout(), "{answer}").unwrap();
    }
}
