import com.fasterxml.jackson.core.*;
import com.fasterxml.jackson.databind.*;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.*;
import java.security.spec.X509EncodedKeySpec;
import java.util.*;
import java.util.function.Predicate;
import java.util.regex.*;
import java.util.stream.IntStream;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Verifies leases of Latchkey without a network. Needs Java 17 or later, and Jackson. The steps and codes are those of
 * docs/integrate/lease-format.md. You may copy this file, under any terms (CC0 1.0).
 */
public final class LatchkeyLease {
    /** State: licensed, grace, expired or refused. Code: why it is refused. Claims: the payload, unless it is refused. */
    public record Result(String state, String code, JsonNode claims) {}

    /**
     * What a program knows. Null leaves out a step; but without a fingerprint (not hashed) a lease for a device is refused.
     * Now: seconds since 1970. Revocations: the list as the server gives it; one that does not verify counts as none.
     */
    public record Options(long now, String fingerprint, String deviceKey, Long product, String nonce,
            List<String> revokedKeys, String revocations) {}

    private record Compact(JsonNode header, JsonNode payload, Predicate<String> isSignedBy) {}
    private record Signed(JsonNode payload, JsonNode certificate) {}

    @SuppressWarnings("serial")
    private static final class Refused extends RuntimeException { Refused(String code) { super(code); } }

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final byte[] BEFORE_KEY = HexFormat.of().parseHex("302a300506032b6570032100"); // X.509
    private static final String KEY = "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", TEXT = "(?s).*", ID = "_(0|[1-9][0-9]{0,14})";
    private static final long NUMBER = (1L << 53) - 1, TIME = 253_402_300_799L; // the largest
    private static final List<?> ENTRIES = List.of(List.of(NUMBER, TIME));
    private static final Map<String, ?> CERTIFICATE = Map.of("kid", TEXT, "x", KEY, "nbf", TIME, "exp", TIME, "use", "lease",
            "rvk?", List.of(TEXT));
    private static final Map<String, ?> TIMES = Map.of("iat", TIME, "ref", TIME, "exp", TIME, "grc", TIME, "lxp?", TIME);
    private static final Map<String, ?> LEASE = Map.of("iss", TEXT, "jti", TEXT, "sub?", "act" + ID, "lic", "lic" + ID,
            "prd?", NUMBER, "fp?", KEY, "cnf?", Map.of("x", KEY), "st", TEXT, "ent", List.of(TEXT), "n?", TEXT);
    private static final Map<String, ?> REVOCATIONS = Map.of("iss", TEXT, "seq", NUMBER, "iat", TIME, "exp", TIME,
            "lic", ENTRIES, "act", ENTRIES);

    /**
     * Verifies a lease, with or without LKLEASE1. before it, and tells its state. It throws nothing, whatever the text is.
     * @param roots the pinned root keys, each 32 bytes in base64url
     */
    public static Result verify(String lease, List<String> roots, Options options) {
        try {
            Signed signed = signed(lease, "(?:LKLEASE1\\.)?", "lk-lease\\+jwt", 8_192, roots, options.revokedKeys);
            JsonNode claims = signed.payload;
            check(fits(claims, LEASE) && fits(claims, TIMES), "malformed");
            long iat = claims.get("iat").asLong(), ref = claims.get("ref").asLong(), exp = claims.get("exp").asLong();
            long grc = claims.get("grc").asLong(), now = options.now;
            check(iat <= ref && ref <= exp && exp <= grc && grc <= claims.path("lxp").asLong(TIME), "malformed");
            check(isCovered(iat, grc, signed.certificate), "bad_certificate");
            String fp = options.fingerprint == null ? null : hash(options.fingerprint.getBytes(UTF_8));
            check(Objects.equals(claims.path("fp").textValue(), fp), "other_device");
            String key = options.deviceKey, nonce = options.nonce;
            check(key == null || key.equals(claims.path("cnf").path("x").textValue()), "other_device");
            check(options.product == null || options.product == claims.path("prd").asLong(options.product), "other_product");
            check(nonce == null || nonce.equals(claims.path("n").textValue()), "other_nonce");
            check(options.revocations == null || !isRevoked(claims, roots, options), "revoked");
            check(iat <= now + 300, "clock");
            return new Result(now < exp ? "licensed" : now < grc ? "grace" : "expired", null, claims);
        } catch (Refused refused) {
            return new Result("refused", refused.getMessage(), null);
        }
    }

    /** Steps 1 to 6. */
    private static Signed signed(String text, String prefix, String typ, int max, List<String> roots, List<String> revoked) {
        Matcher bare = Pattern.compile("[ \t\r\n]*+" + prefix + "(\\S*+)[ \t\r\n]*+").matcher(text);
        check(bare.matches(), "malformed");
        Compact signed = compact(bare.group(1), max, Map.of("alg", "EdDSA", "typ", typ, "kid", TEXT, "crt", TEXT));
        String crt = signed.header.get("crt").textValue(), kid = signed.header.get("kid").textValue();
        Compact certified = compact(crt, 8_192, Map.of("alg", "EdDSA", "typ", "lk-cert\\+jwt", "kid", TEXT));
        JsonNode by = certified.payload;
        check(roots.stream().anyMatch(x -> !revoked.contains(keyId(x)) && certified.isSignedBy.test(x)), "wrong_root");
        check(fits(by, CERTIFICATE) && kid.equals(by.get("kid").textValue()), "bad_certificate");
        check(kid.equals(keyId(by.get("x").textValue())), "bad_certificate");
        check(!revoked.contains(kid), "revoked_key");
        for (JsonNode one : by.path("rvk")) check(!kid.equals(one.textValue()), "revoked_key");
        check(signed.isSignedBy.test(by.get("x").textValue()), "bad_signature");
        return new Signed(signed.payload, by);
    }

    private static Compact compact(String text, int max, Map<String, ?> form) {
        String[] parts = text.length() <= max ? text.split("\\.", 4) : new String[0];
        check(parts.length == 3, "malformed");
        JsonNode header = object(decode(parts[0])), payload = object(decode(parts[1]));
        byte[] signature = decode(parts[2]), bytes = (parts[0] + "." + parts[1]).getBytes(UTF_8);
        check(signature.length > 0 && header.size() == form.size() && fits(header, form), "malformed");
        return new Compact(header, payload, x -> {
            try {
                byte[] key = ByteBuffer.allocate(44).put(BEFORE_KEY).put(decode(x), 0, 32).array();
                Signature verifier = Signature.getInstance("Ed25519");
                verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(key)));
                verifier.update(bytes);
                return signature.length == 64 && verifier.verify(signature); // Java takes longer ones
            } catch (GeneralSecurityException | IndexOutOfBoundsException invalid) {
                return false;
            }
        });
    }

    /** The object in JSON in which no name occurs twice, nor has a backslash. */
    private static JsonNode object(byte[] bytes) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            Set<String> names = new HashSet<>();
            JsonParser tokens = JSON.createParser(text);
            while (tokens.nextToken() != null) if (tokens.currentToken() == JsonToken.FIELD_NAME) {
                String name = "\"" + tokens.currentName() + "\""; // in the text, it is longer with a backslash
                check(names.add(name) && text.startsWith(name, (int) tokens.getTokenLocation().getCharOffset()), "malformed");
            }
            JsonNode value = JSON.readTree(text);
            check(value.isObject(), "malformed");
            return value;
        } catch (IOException invalid) {
            throw new Refused("malformed");
        }
    }

    private static boolean isRevoked(JsonNode lease, List<String> roots, Options options) {
        try {
            Signed list = signed(options.revocations, "", "lk-revocations\\+jwt", 4 << 20, roots, options.revokedKeys);
            long iat = list.payload.path("iat").asLong();
            return fits(list.payload, REVOCATIONS) && isCovered(iat, iat, list.certificate)
                    && (isOn(list.payload.get("lic"), "lic_", "lic", lease) || isOn(list.payload.get("act"), "act_", "sub", lease));
        } catch (Refused invalid) {
            return false;
        }
    }

    private static boolean isOn(JsonNode entries, String prefix, String name, JsonNode lease) {
        return IntStream.range(0, entries.size()).mapToObj(entries::get).anyMatch(entry -> lease.get("iat").asLong()
                <= entry.get(1).asLong() && lease.path(name).asText().equals(prefix + entry.get(0).asLong()));
    }

    private static boolean isCovered(long from, long to, JsonNode by) {
        return by.get("nbf").asLong() <= from && to <= by.get("exp").asLong();
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
        return value.isIntegralNumber() && value.canConvertToLong() && value.asLong() >= 0 && value.asLong() <= (long) form;
    }

    private static void check(boolean isGood, String code) { if (!isGood) throw new Refused(code); }

    /** The bytes of base64url without padding; none unless it is canonical. */
    private static byte[] decode(String part) {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(part);
            return encode(bytes).equals(part) ? bytes : new byte[0];
        } catch (IllegalArgumentException invalid) {
            return new byte[0];
        }
    }

    private static String encode(byte[] bytes) { return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes); }
    private static String keyId(String x) { return hash(decode(x)).substring(0, 16); }

    private static String hash(byte[] bytes) {
        try {
            return encode(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
