// Package latchkey verifies leases without a network. It needs Go 1.18 or later, and no modules. The steps and codes are
// those of docs/integrate/lease-format.md. You may copy this file, under any terms (CC0 1.0).
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

const spaces, largest, moment = " \t\r\n", float64(1<<53 - 1), float64(253_402_300_799)
const text, key, id = ".*", "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", "_(0|[1-9][0-9]{0,14})"

var certificateForm = members{"kid": text, "x": key, "nbf": moment, "exp": moment, "use": "lease", "rvk?": []any{text}}
var leaseForm = members{"iss": text, "jti": text, "sub?": "act" + id, "lic": "lic" + id, "prd?": largest, "fp?": key,
	"cnf?": members{"x": key}, "st": text, "ent": []any{text}, "n?": text,
	"iat": moment, "ref": moment, "exp": moment, "grc": moment, "lxp?": moment}
var entries = []any{[]any{largest, moment}}
var listForm = members{"iss": text, "seq": largest, "iat": moment, "exp": moment, "lic": entries, "act": entries}
var jsonStrings = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.)*)"([ \t\r\n]*:)?`)

// Verify verifies a lease, with or without LKLEASE1. before it, and tells its state.
// Roots are the pinned root keys, each 32 bytes in base64url.
func Verify(lease string, roots []string, options Options) (result Result) {
	defer recovered(func(code string) { result = Result{State: "refused", Code: code} })
	bare, revoked := strings.TrimPrefix(strings.Trim(lease, spaces), "LKLEASE1."), options.RevokedKeys
	claims, certificate := signed(bare, "lk-lease+jwt", 8_192, roots, revoked)
	check(fits(claims, leaseForm), "malformed")
	iat, ref, exp, grc := seconds(claims["iat"]), seconds(claims["ref"]), seconds(claims["exp"]), seconds(claims["grc"])
	check(iat <= ref && ref <= exp && exp <= grc && (claims["lxp"] == nil || grc <= seconds(claims["lxp"])), "malformed")
	check(covers(certificate, claims["iat"], claims["grc"]), "bad_certificate")
	check((options.Fingerprint == nil) == (claims["fp"] == nil), "other_device")
	check(options.Fingerprint == nil || claims["fp"] == hash([]byte(*options.Fingerprint)), "other_device")
	cnf, _ := claims["cnf"].(members)
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

func recovered(refuse func(code string)) {
	if code := recover(); code != nil {
		refuse(code.(string))
	}
}

// check panics with the code, which Verify recovers.
func check(isGood bool, code string) {
	if !isGood {
		panic(code)
	}
}

// signed does steps 1 to 6, and returns the payloads of a lease or revocation list, and of its certificate.
func signed(text, typ string, max int, roots, revoked []string) (payload, certificate members) {
	header, payload, isSignedBy := compact(text, typ, max, members{"kid": ".*", "crt": ".*"})
	_, certificate, isCertifiedBy := compact(header["crt"].(string), "lk-cert+jwt", 8_192, members{"kid": ".*"})
	isTrusted, list := false, strings.Join(revoked, " ")
	for _, root := range roots {
		isTrusted = isTrusted || !strings.Contains(list, keyID(root)) && isCertifiedBy(root)
	}
	check(isTrusted, "wrong_root")
	check(fits(certificate, certificateForm) && certificate["kid"] == header["kid"], "bad_certificate")
	x := certificate["x"].(string)
	check(header["kid"] == keyID(x), "bad_certificate")
	check(!strings.Contains(fmt.Sprint(list, certificate["rvk"]), keyID(x)), "revoked_key")
	check(isSignedBy(x), "bad_signature")
	return payload, certificate
}

// compact returns the header, the payload, and whether a key has signed them.
func compact(text, typ string, max int, form members) (header, payload members, isSignedBy func(x string) bool) {
	parts := strings.SplitN(text, ".", 4)
	check(len(text) <= max && len(parts) == 3, "malformed")
	header, payload, signature := object(decode(parts[0])), object(decode(parts[1])), decode(parts[2])
	form["alg"], form["typ"] = "EdDSA", regexp.QuoteMeta(typ)
	check(fits(header, form) && len(header) == len(form) && len(signature) > 0, "malformed")
	return header, payload, func(x string) bool {
		return len(decode(x)) == 32 && ed25519.Verify(decode(x), []byte(parts[0]+"."+parts[1]), signature)
	}
}

// object returns the object in JSON in which no name occurs twice, nor has a backslash.
func object(data []byte) (found members) {
	check(strings.ToValidUTF8(string(data), "") == string(data) && json.Unmarshal(data, &found) == nil && found != nil, "malformed")
	names := members{}
	for _, match := range jsonStrings.FindAllStringSubmatch(string(data), -1) {
		if match[2] != "" {
			check(names[match[1]] == nil && !strings.Contains(match[1], `\`), "malformed")
			names[match[1]] = true
		}
	}
	return found
}

func isRevoked(lease members, roots []string, options Options) (is bool) {
	defer recovered(func(string) { is = false })
	list, certificate := signed(strings.Trim(options.Revocations, spaces), "lk-revocations+jwt", 4<<20, roots, options.RevokedKeys)
	check(fits(list, listForm) && covers(certificate, list["iat"], list["iat"]), "malformed")
	for of, name := range map[string]string{"lic": "lic", "act": "sub"} {
		for _, one := range list[of].([]any) {
			is = is || lease[name] == fmt.Sprintf("%s_%.0f", of, one.([]any)[0]) && seconds(lease["iat"]) <= seconds(one.([]any)[1])
		}
	}
	return is
}

// decode returns the bytes of base64url without padding; nil unless it is canonical.
func decode(part string) []byte {
	if data, err := base64.RawURLEncoding.DecodeString(part); err == nil && encode(data) == part {
		return data
	}
	return nil
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
func hash(data []byte) string   { sum := sha256.Sum256(data); return encode(sum[:]) }
func keyID(x string) string     { return hash(decode(x))[:16] }
func seconds(number any) int64  { return int64(number.(float64)) }

func covers(certificate members, from, to any) bool {
	return seconds(certificate["nbf"]) <= seconds(from) && seconds(to) <= seconds(certificate["exp"])
}

// fits says whether a value has a form: members, a list, text, or a largest number.
func fits(value, form any) bool {
	switch form := form.(type) {
	case members:
		object, is := value.(members)
		for name, one := range form {
			found, isThere := object[strings.TrimSuffix(name, "?")]
			is = is && (isThere && fits(found, one) || !isThere && strings.HasSuffix(name, "?"))
		}
		return is
	case []any:
		list, is := value.([]any)
		for i, one := range list {
			is = is && fits(one, form[i%len(form)])
		}
		return is && (len(form) == 1 || len(list) == len(form))
	case float64:
		number, is := value.(float64)
		return is && number >= 0 && number <= form && number == float64(int64(number))
	}
	text, is := value.(string)
	return is && regexp.MustCompile(fmt.Sprintf("(?s)^(?:%s)$", form)).MatchString(text)
}
