// Package latchkey verifies leases without a network. It needs Go 1.18 or later, and no modules. The steps and codes
// are those of docs/integrate/lease-format.md. You may copy this file, under any terms (CC0 1.0).
package latchkey

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Options is what a program knows. Without a DeviceKey, Product or Nonce, that step is left out.
type Options struct {
	Now                           int64    // seconds since 1970
	Fingerprint, DeviceKey, Nonce *string  // the fingerprint is not hashed; without one, a lease for a device is refused
	Product                       *int64   // its number
	RevokedKeys                   []string // ids of keys, roots included
	Revocations                   string   // the list as the server gives it; one that does not verify counts as none
}

// Result has the state "licensed", "grace" or "expired" and the payload, or the state "refused" and the code.
type Result struct {
	State, Code string
	Claims      map[string]any
}
type members = map[string]any
type form map[string]*regexp.Regexp // what the JSON of members matches; ? is after names that may be left out

var spaces, id = " \t\r\n", `_(0|[1-9][0-9]{0,14})"`
var text, texts, object = all(`".*"`), all(`\[("([^"\\]|\\.)*",?)*\]`), all(`\{.*\}`)
var number, time, entries = all(`[0-9]+`), all(`[0-9]+`), all(`\[(\[[0-9]+,[0-9]+\],?)*\]`)
var key, activation, license = all(`"[\w-]{42}[AEIMQUYcgkosw048]"`), all(`"act` + id), all(`"lic` + id)
var largest = map[*regexp.Regexp]float64{number: 1<<53 - 1, time: 253_402_300_799}
var certificateForm = form{"kid": text, "x": key, "nbf": time, "exp": time, "use": all(`"lease"`), "rvk?": texts}
var leaseForm = form{"iss": text, "jti": text, "sub?": activation, "lic": license, "prd?": number, "fp?": key,
	"cnf?": object, "st": text, "ent": texts, "n?": text,
	"iat": time, "ref": time, "exp": time, "grc": time, "lxp?": time}
var listForm = form{"iss": text, "seq": number, "iat": time, "exp": time, "lic": entries, "act": entries}
var jsonStrings = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.)*)"([ \t\r\n]*:)?`)

// Verify verifies a lease, with or without LKLEASE1. before it, and tells its state.
// Roots are the pinned root keys, each 32 bytes in base64url.
func Verify(lease string, roots []string, options Options) (result Result) {
	result.State = "refused"
	defer func() { result.Code, _ = recover().(string) }()
	bare := strings.TrimPrefix(strings.Trim(lease, spaces), "LKLEASE1.")
	claims, nbf, end := signed(bare, "lk-lease+jwt", 8_192, roots, options)
	cnf, _ := claims["cnf"].(members)
	check(fits(claims, leaseForm) && (cnf == nil || fits(cnf, form{"x": key})), "malformed")
	iat, ref, exp, grc := seconds(claims["iat"]), seconds(claims["ref"]), seconds(claims["exp"]), seconds(claims["grc"])
	check(iat <= ref && ref <= exp && exp <= grc && (claims["lxp"] == nil || grc <= seconds(claims["lxp"])), "malformed")
	check(nbf <= iat && grc <= end, "bad_certificate")
	check((options.Fingerprint == nil) == (claims["fp"] == nil), "other_device")
	check(options.Fingerprint == nil || claims["fp"] == hash([]byte(*options.Fingerprint)), "other_device")
	check(options.DeviceKey == nil || cnf["x"] == *options.DeviceKey, "other_device")
	check(options.Product == nil || claims["prd"] == nil || claims["prd"] == float64(*options.Product), "other_product")
	check(options.Nonce == nil || claims["n"] == *options.Nonce, "other_nonce")
	check(!isRevoked(claims, roots, options), "revoked")
	check(iat <= options.Now+300, "clock")
	state := "licensed"
	if options.Now >= grc {
		state = "expired"
	} else if options.Now >= exp {
		state = "grace"
	}
	return Result{State: state, Claims: claims}
}
func check(isGood bool, code string) {
	if !isGood {
		panic(code) // which Verify recovers
	}
}

// signed does steps 1 to 6. It returns the payload of a lease or revocation list, and the times of its certificate.
func signed(bare, typ string, max int, roots []string, options Options) (claims members, nbf, exp int64) {
	header, claims, isSignedBy := compact(bare, typ, max, form{"kid": text, "crt": text})
	_, by, isCertifiedBy := compact(header["crt"].(string), "lk-cert+jwt", 8_192, form{"kid": text})
	isTrusted, quoted := false, fmt.Sprintf("%q", options.RevokedKeys)
	for _, root := range roots {
		isTrusted = isTrusted || !strings.Contains(quoted, `"`+keyID(root)+`"`) && isCertifiedBy(root)
	}
	check(isTrusted, "wrong_root")
	x, _ := by["x"].(string)
	check(fits(by, certificateForm) && by["kid"] == header["kid"] && by["kid"] == keyID(x), "bad_certificate")
	check(!strings.Contains(fmt.Sprintf("%s %q", quoted, by["rvk"]), `"`+keyID(x)+`"`), "revoked_key")
	check(isSignedBy(x), "bad_signature")
	return claims, seconds(by["nbf"]), seconds(by["exp"])
}
func compact(bare, typ string, max int, rest form) (header, payload members, isSignedBy func(x string) bool) {
	parts := strings.SplitN(bare, ".", 4)
	check(len(bare) <= max && len(parts) == 3, "malformed")
	header, payload, signature := parsed(decode(parts[0])), parsed(decode(parts[1])), decode(parts[2])
	isExact := header["alg"] == "EdDSA" && header["typ"] == typ && fits(header, rest) && len(header) == len(rest)+2
	check(isExact && len(signature) > 0, "malformed")
	return header, payload, func(x string) bool {
		return len(decode(x)) == 32 && ed25519.Verify(decode(x), []byte(parts[0]+"."+parts[1]), signature)
	}
}

// parsed returns the object in JSON in which no name occurs twice, nor has a backslash.
func parsed(data []byte) (found members) {
	names, isText := map[string]bool{}, strings.ToValidUTF8(string(data), "") == string(data)
	check(isText && json.Unmarshal(data, &found) == nil && found != nil, "malformed")
	for _, match := range jsonStrings.FindAllStringSubmatch(string(data), -1) {
		name, isName := match[1], match[2] != ""
		check(!isName || !names[name] && !strings.Contains(name, `\`), "malformed")
		names[name] = names[name] || isName
	}
	return found
}
func isRevoked(lease members, roots []string, options Options) (is bool) {
	defer func() { is = recover() == nil && is }()
	list, nbf, exp := signed(strings.Trim(options.Revocations, spaces), "lk-revocations+jwt", 4<<20, roots, options)
	check(fits(list, listForm) && nbf <= seconds(list["iat"]) && seconds(list["iat"]) <= exp, "malformed")
	for of, id := range map[string]any{"lic": lease["lic"], "act": lease["sub"]} {
		for _, one := range list[of].([]any) {
			entry := one.([]any)
			check(entry[1].(float64) <= largest[time], "malformed")
			is = is || id == fmt.Sprintf("%s_%.0f", of, entry[0]) && seconds(lease["iat"]) <= seconds(entry[1])
		}
	}
	return is
}
func fits(object members, form form) bool {
	for name, kind := range form {
		value, isThere := object[strings.TrimSuffix(name, "?")]
		data, _ := json.Marshal(value)
		number, _ := value.(float64) // else 0, as is largest
		if !(kind.Match(data) && number <= largest[kind]) && (isThere || !strings.HasSuffix(name, "?")) {
			return false
		}
	}
	return true
}
func decode(part string) []byte {
	if data, err := base64.RawURLEncoding.DecodeString(part); err == nil && encode(data) == part {
		return data
	}
	return nil // not canonical
}
func encode(data []byte) string         { return base64.RawURLEncoding.EncodeToString(data) }
func hash(data []byte) string           { sum := sha256.Sum256(data); return encode(sum[:]) }
func keyID(x string) string             { return hash(decode(x))[:16] }
func seconds(number any) int64          { return int64(number.(float64)) }
func all(pattern string) *regexp.Regexp { return regexp.MustCompile("^(?:" + pattern + ")$") }
