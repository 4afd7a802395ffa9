import com.fasterxml.jackson.core.*;
import com.fasterxml.jackson.databind.*;
import java.nio.ByteBuffer;
import java.security.*;
import java.security.spec.X509EncodedKeySpec;
import java.util.*;
import java.util.regex.*;
import java.util.stream.IntStream;
import static java.nio.charset.StandardCharsets.UTF_8;

/** Verifies leases of Latchkey without a network. Needs Java 17 or later, and Jackson. The steps and codes are those
 * of docs/integrate/lease-format.md. You may copy this file, under any terms (CC0 1.0). */
public final class LatchkeyLease {
    /** State: licensed, grace, expired or refused. Code: why it is refused. Claims: the payload, unless refused. */
    public record Result(String state, String code, JsonNode claims) {}
    /** What a program knows. Null leaves out a step; but without a fingerprint (not hashed) a lease for a device is
     * refused. Now: seconds since 1970. Revocations: as the server gives them; none if they do not verify. */
    public record Options(long now, String fingerprint, String deviceKey, Long product, String nonce,
            List<String> revokedKeys, String revocations) {}
    private record Signed(JsonNode payload, JsonNode certificate) {}
    @SuppressWarnings("serial") private static class Refused extends Exception { Refused(String code) { super(code); } }
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final byte[] BEFORE_KEY = HexFormat.of().parseHex("302a300506032b6570032100"); // X.509
    private static final String KEY = "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", TEXT = "(?s).*";
    private static final String ID = "_(0|[1-9][0-9]{0,14})", SPACES = "[ \t\r\n]*+";
    private static final long NUMBER = (1L << 53) - 1, TIME = 253_402_300_799L; // the largest
    private static final Map<String, ?> CERTIFICATE = Map.of("kid", TEXT, "x", KEY, "nbf", TIME, "exp", TIME,
            "use", "lease", "rvk?", List.of(TEXT));
    private static final Map<String, ?> WHEN = Map.of("iat", TIME, "ref", TIME, "exp", TIME, "grc", TIME, "lxp?", TIME);
    private static final Map<String, ?> LEASE = Map.of("iss", TEXT, "jti", TEXT, "sub?", "act" + ID, "lic", "lic" + ID,
            "prd?", NUMBER, "fp?", KEY, "cnf?", Map.of("x", KEY), "st", TEXT, "ent", List.of(TEXT), "n?", TEXT);
    private static final Map<String, ?> LIST = Map.of("iss", TEXT, "seq", NUMBER, "iat", TIME, "exp", TIME,
            "lic", List.of(List.of(NUMBER, TIME)), "act", List.of(List.of(NUMBER, TIME)));
    /** Verifies a lease, with or without LKLEASE1. before it, and tells its state. It throws nothing.
     * @param roots the pinned root keys, each 32 bytes in base64url */
    public static Result verify(String lease, List<String> roots, Options known) {
        try {
            Signed signed = signed(lease, "(?:LKLEASE1\\.)?", "lk-lease\\+jwt", 8_192, roots, known);
            JsonNode claims = signed.payload, by = signed.certificate;
            check(fits(claims, LEASE) && fits(claims, WHEN), "malformed");
            long iat = claims.get("iat").asLong(), ref = claims.get("ref").asLong(), exp = claims.get("exp").asLong();
            long grc = claims.get("grc").asLong(), now = known.now;
            check(iat <= ref && ref <= exp && exp <= grc && grc <= claims.path("lxp").asLong(TIME), "malformed");
            check(by.get("nbf").asLong() <= iat && grc <= by.get("exp").asLong(), "bad_certificate");
            String fp = known.fingerprint == null ? null : hash(known.fingerprint.getBytes(UTF_8));
            check(Objects.equals(claims.path("fp").textValue(), fp), "other_device");
            String key = known.deviceKey, nonce = known.nonce;
            check(key == null || key.equals(claims.path("cnf").path("x").textValue()), "other_device");
            check(known.product == null || known.product == claims.path("prd").asLong(known.product), "other_product");
            check(nonce == null || nonce.equals(claims.path("n").textValue()), "other_nonce");
            check(known.revocations == null || !isRevoked(claims, roots, known), "revoked");
            check(iat <= now + 300, "clock");
            return new Result(now < exp ? "licensed" : now < grc ? "grace" : "expired", null, claims);
        } catch (Exception refused) {
            return new Result("refused", refused instanceof Refused ? refused.getMessage() : "malformed", null);
        }
    }
    /** Steps 1 to 6. */
    private static Signed signed(String text, String prefix, String typ, int max, List<String> roots, Options options)
            throws Exception {
        Matcher bare = Pattern.compile(SPACES + prefix + "(\\S*+)" + SPACES).matcher(text);
        check(bare.matches(), "malformed");
        Compact signed = compact(bare.group(1), max, Map.of("alg", "EdDSA", "typ", typ, "kid", TEXT, "crt", TEXT));
        String crt = signed.header.get("crt").textValue(), kid = signed.header.get("kid").textValue();
        Compact certified = compact(crt, 8_192, Map.of("alg", "EdDSA", "typ", "lk-cert\\+jwt", "kid", TEXT));
        JsonNode by = certified.payload;
        Set<String> revoked = new HashSet<>(options.revokedKeys);
        boolean isTrusted = false;
        for (String x : roots) isTrusted |= certified.isSignedBy(x) && !revoked.contains(keyId(x));
        check(isTrusted, "wrong_root");
        check(fits(by, CERTIFICATE) && kid.equals(by.get("kid").textValue()), "bad_certificate");
        check(kid.equals(keyId(by.get("x").textValue())), "bad_certificate");
        for (JsonNode one : by.path("rvk")) revoked.add(one.textValue());
        check(!revoked.contains(kid), "revoked_key");
        check(signed.isSignedBy(by.get("x").textValue()), "bad_signature");
        return new Signed(signed.payload, by);
    }
    private static Compact compact(String text, int max, Map<String, ?> form) throws Exception {
        String[] parts = text.length() <= max ? text.split("\\.", 4) : new String[0];
        check(parts.length == 3, "malformed");
        JsonNode header = object(decode(parts[0])), payload = object(decode(parts[1]));
        byte[] signature = decode(parts[2]), bytes = (parts[0] + "." + parts[1]).getBytes(UTF_8);
        check(signature.length > 0 && header.size() == form.size() && fits(header, form), "malformed");
        return new Compact(header, payload, bytes, signature);
    }
    private record Compact(JsonNode header, JsonNode payload, byte[] bytes, byte[] signature) {
        boolean isSignedBy(String x) {
            try {
                byte[] key = ByteBuffer.allocate(44).put(BEFORE_KEY).put(decode(x), 0, 32).array();
                Signature verifier = Signature.getInstance("Ed25519");
                verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(key)));
                verifier.update(bytes);
                return signature.length == 64 && verifier.verify(signature); // Java takes longer ones
            } catch (GeneralSecurityException | RuntimeException invalid) {
                return false;
            }
        }
    }
    /** The object in JSON in which no name occurs twice, nor has a backslash. */
    private static JsonNode object(byte[] bytes) throws Exception {
        String json = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        Set<String> seen = new HashSet<>();
        JsonParser token = JSON.createParser(json);
        while (token.nextToken() != null) if (token.currentToken() == JsonToken.FIELD_NAME) {
            String name = "\"" + token.currentName() + "\""; // in the text, it is longer with a backslash
            check(seen.add(name) && json.startsWith(name, (int) token.getTokenLocation().getCharOffset()), "malformed");
        }
        check(json.stripLeading().startsWith("{"), "malformed");
        return JSON.readTree(json);
    }
    private static boolean isRevoked(JsonNode lease, List<String> roots, Options options) {
        try {
            Signed list = signed(options.revocations, "", "lk-revocations\\+jwt", 4 << 20, roots, options);
            JsonNode of = list.payload, by = list.certificate, iat = of.path("iat");
            return fits(of, LIST) && by.get("nbf").asLong() <= iat.asLong() && iat.asLong() <= by.get("exp").asLong()
                    && (isOn(of.get("lic"), "lic_", "lic", lease) || isOn(of.get("act"), "act_", "sub", lease));
        } catch (Exception invalid) {
            return false;
        }
    }
    private static boolean isOn(JsonNode entries, String prefix, String name, JsonNode lease) {
        return IntStream.range(0, entries.size()).mapToObj(entries::get).anyMatch(entry -> lease.get("iat").asLong()
                <= entry.get(1).asLong() && lease.path(name).asText().equals(prefix + entry.get(0).asLong()));
    }
    /** Whether a value has a form: members, a list of one form or of given ones, text, or a largest number. */
    private static boolean fits(JsonNode value, Object form) {
        if (form instanceof Map<?, ?> members) return value.isObject() && members.keySet().stream().allMatch(name -> {
            String key = name.toString().replace("?", "");
            return value.has(key) ? fits(value.get(key), members.get(name)) : !name.equals(key);
        });
        if (form instanceof List<?> list) return value.isArray() && (list.size() == 1 || list.size() == value.size())
                && IntStream.range(0, value.size()).allMatch(i -> fits(value.get(i), list.get(i % list.size())));
        if (form instanceof String text) return value.isTextual() && value.textValue().matches(text);
        long number = value.isIntegralNumber() && value.canConvertToLong() ? value.asLong() : -1;
        return number >= 0 && number <= (long) form;
    }
    private static void check(boolean isGood, String code) throws Refused { if (!isGood) throw new Refused(code); }
    /** The bytes of base64url without padding, if it is canonical. */
    private static byte[] decode(String part) {
        byte[] bytes = Base64.getUrlDecoder().decode(part);
        if (!encode(bytes).equals(part)) throw new IllegalArgumentException("not canonical");
        return bytes;
    }
    private static String encode(byte[] bytes) { return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes); }
    private static String keyId(String x) throws Exception { return hash(decode(x)).substring(0, 16); }
    private static String hash(byte[] bytes) throws Exception {
        return encode(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
