// Verifies leases of Latchkey without a network, by the steps of docs/integrate/lease-format.md.
// Needs .NET 8 and the package BouncyCastle.Cryptography. You may copy this file, under any terms (CC0 1.0).
using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Org.BouncyCastle.Math.EC.Rfc8032;

/// <summary>What the program knows. Null for what it does not use. Keys are in base64url, revoked ones by their ids.</summary>
/// <param name="Now">Seconds since 1970; by the clock of this machine when null.</param>
/// <param name="Fingerprint">Of this device, not hashed. Without one, a lease for a device is refused.</param>
/// <param name="Revocations">A revocation list, as the server gives it. One that does not verify counts as none.</param>
public sealed record LeaseOptions(long? Now = null, string? Fingerprint = null, string? DeviceKey = null, long? Product = null,
    string? Nonce = null, IReadOnlyCollection<string>? RevokedKeys = null, string? Revocations = null);

/// <summary>State is licensed, grace, expired or refused; Code says why it is refused; Claims are the payload else.</summary>
public sealed record LeaseResult(string State, string? Code, JsonElement? Claims);

public static class LatchkeyLease
{
    private const int LeaseMax = 8_192, ListMax = 4 << 20, AheadMax = 300;
    private static readonly char[] WhiteSpace = { ' ', '\t', '\r', '\n' };
    private static void Check(bool isGood, string code) { if (!isGood) throw new Refused(code); }
    private sealed class Refused : Exception { public Refused(string code) : base(code) { } }

    /// <summary>Verifies a lease. It throws nothing, whatever the text is.</summary>
    /// <param name="roots">The pinned root keys, each 32 bytes in base64url.</param>
    public static LeaseResult Verify(string lease, IEnumerable<string> roots, LeaseOptions options)
    {
        try
        {
            var now = options.Now ?? DateTimeOffset.UtcNow.ToUnixTimeSeconds();
            var text = lease.Trim(WhiteSpace);
            text = text.StartsWith("LKLEASE1.", StringComparison.Ordinal) ? text[9..] : text;
            var (claims, crt) = Open(text, "lk-lease+jwt", LeaseMax, roots, options);
            Check(Has(claims, "iss:text jti:text sub?:act_ lic:lic_ prd?:number fp?:key cnf?:cnf st:text ent:text*") &&
                Has(claims, "iat:time ref:time exp:time grc:time lxp?:time n?:text"), "malformed");
            long Time(string name) => claims.GetProperty(name).GetInt64();
            long iat = Time("iat"), exp = Time("exp"), grc = Time("grc");
            Check(iat <= Time("ref") && Time("ref") <= exp && exp <= grc, "malformed");
            Check(!claims.TryGetProperty("lxp", out var lxp) || grc <= lxp.GetInt64(), "malformed");
            Check(crt.GetProperty("nbf").GetInt64() <= iat && grc <= crt.GetProperty("exp").GetInt64(), "bad_certificate");
            Check(Text(claims, "fp") == (options.Fingerprint is { } own ? Hash(Encoding.UTF8.GetBytes(own)) : null), "other_device");
            var key = claims.TryGetProperty("cnf", out var cnf) ? Text(cnf, "x") : null;
            Check(options.DeviceKey is null || options.DeviceKey == key, "other_device");
            var product = claims.TryGetProperty("prd", out var prd) ? prd.GetInt64() : options.Product;
            Check(options.Product is null || options.Product == product, "other_product");
            Check(options.Nonce is null || options.Nonce == Text(claims, "n"), "other_nonce");
            Check(options.Revocations is null || !IsRevoked(claims, options.Revocations, roots, options), "revoked");
            Check(iat - AheadMax <= now, "clock");
            return new(now < exp ? "licensed" : now < grc ? "grace" : "expired", null, claims);
        }
        catch (Refused refused) { return new("refused", refused.Message, null); }
    }

    /// <summary>Steps 1 to 6: the payload of a lease or revocation list, and that of its certificate.</summary>
    private static (JsonElement, JsonElement) Open(string text, string typ, int max, IEnumerable<string> roots, LeaseOptions options)
    {
        var (header, claims, isSignedBy) = Read(text, typ, max, "kid", "crt");
        var (_, crt, isCertifiedBy) = Read(Text(header, "crt")!, "lk-cert+jwt", LeaseMax, "kid");
        bool IsRevokedKey(string? id) => id is null || options.RevokedKeys?.Contains(id) == true;
        Check(roots.Any(root => !IsRevokedKey(KeyId(root)) && isCertifiedBy(root)), "wrong_root");
        string kid = Text(crt, "kid") ?? "", x = Text(crt, "x") ?? "";
        Check(Has(crt, "kid:text x:key nbf:time exp:time use:text rvk?:text*") && Text(crt, "use") == "lease" &&
            kid == Text(header, "kid") && kid == KeyId(x), "bad_certificate");
        var isInRvk = crt.TryGetProperty("rvk", out var rvk) && rvk.EnumerateArray().Any(id => id.ValueEquals(kid));
        Check(!isInRvk && !IsRevokedKey(kid), "revoked_key");
        Check(isSignedBy(x), "bad_signature");
        return (claims, crt);
    }

    /// <summary>Header and payload of a text of the right form, and what tells whether a key has signed it.</summary>
    private static (JsonElement, JsonElement, Func<string, bool>) Read(string text, string typ, int max, params string[] members)
    {
        var bytes = (text.Length <= max ? text.Split('.', 4) : Array.Empty<string>()).Select(Decode).ToArray();
        Check(bytes.Length == 3 && bytes.All(part => part is not null), "malformed");
        var (header, claims) = (ParseObject(bytes[0]!), ParseObject(bytes[1]!));
        var isExact = header.EnumerateObject().Count() == members.Length + 2 && members.All(name => Text(header, name) is not null);
        Check(isExact && Text(header, "alg") == "EdDSA" && Text(header, "typ") == typ, "malformed");
        var message = Encoding.ASCII.GetBytes(text[..text.LastIndexOf('.')]);
        return (header, claims, x => Decode(x) is { Length: 32 } key && bytes[2] is { Length: 64 } signature &&
            Ed25519.Verify(signature, 0, key, 0, message, 0, message.Length));
    }

    /// <summary>The object in JSON in which no name occurs twice, nor has a backslash.</summary>
    private static JsonElement ParseObject(byte[] json)
    {
        try
        {
            var names = new HashSet<string>();
            var reader = new Utf8JsonReader(System.Text.Unicode.Utf8.IsValid(json) ? json : default);
            while (reader.Read())
                if (reader.TokenType is JsonTokenType.PropertyName)
                    Check(!reader.ValueIsEscaped && names.Add(reader.GetString()!), "malformed");
                else if (reader.TokenType is JsonTokenType.String) _ = reader.GetString(); // throws for half of a surrogate pair
            var value = JsonSerializer.Deserialize<JsonElement>(json);
            return value.ValueKind == JsonValueKind.Object ? value : throw new Refused("malformed");
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException) { throw new Refused("malformed"); }
    }

    /// <summary>Whether a revocation list is good, and has an entry for a lease.</summary>
    private static bool IsRevoked(JsonElement lease, string text, IEnumerable<string> roots, LeaseOptions options)
    {
        try
        {
            var (list, crt) = Open(text.Trim(WhiteSpace), "lk-revocations+jwt", ListMax, roots, options);
            Check(Has(list, "iss:text seq:number iat:time exp:time lic:entry* act:entry*"), "malformed");
            long iat = list.GetProperty("iat").GetInt64(), signed = lease.GetProperty("iat").GetInt64();
            Check(crt.GetProperty("nbf").GetInt64() <= iat && iat <= crt.GetProperty("exp").GetInt64(), "bad_certificate");
            bool IsOn(string name, string? id) => list.GetProperty(name).EnumerateArray()
                .Any(entry => $"{name}_{entry[0].GetInt64()}" == id && signed <= entry[1].GetInt64());
            return IsOn("lic", Text(lease, "lic")) || IsOn("act", Text(lease, "sub"));
        }
        catch (Refused) { return false; }
    }

    /// <summary>The bytes of base64url without padding; null if it is empty or not canonical.</summary>
    private static byte[]? Decode(string part)
    {
        var bytes = new byte[part.Length];
        var base64 = part.Replace('-', '+').Replace('_', '/') + new string('=', -part.Length & 3);
        return Convert.TryFromBase64String(base64, bytes, out var n) && n > 0 && Encode(bytes[..n]) == part ? bytes[..n] : null;
    }
    private static string Encode(byte[] bytes) => Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');
    private static string Hash(byte[] bytes) => Encode(SHA256.HashData(bytes));
    private static string? KeyId(string x) => Decode(x) is { Length: 32 } key ? Hash(key)[..16] : null;
    private static string? Text(JsonElement value, string name) =>
        value.TryGetProperty(name, out var text) && text.ValueKind == JsonValueKind.String ? text.GetString() : null;

    /// <summary>Whether an object has members of these kinds. ? is after names that may be left out.</summary>
    private static bool Has(JsonElement value, string members) => members.Split(' ').Select(member => member.Split(':')).All(member =>
        value.TryGetProperty(member[0].TrimEnd('?'), out var one) ? Is(one, member[1]) : member[0].EndsWith('?'));
    private static bool Is(JsonElement value, string kind) => (kind, value.ValueKind) switch
    {
        ("text", JsonValueKind.String) => true,
        ("key", JsonValueKind.String) => KeyId(value.GetString()!) is not null,
        ("lic_" or "act_", JsonValueKind.String) => System.Text.RegularExpressions.Regex.IsMatch(value.GetString()!,
            $@"\A{kind}(0|[1-9][0-9]{{0,14}})\z"),
        ("number", JsonValueKind.Number) => value.TryGetInt64(out var number) && number >= 0 && number < 1L << 53,
        ("time", JsonValueKind.Number) => value.TryGetInt64(out var time) && time >= 0 && time <= 253_402_300_799,
        ("cnf", JsonValueKind.Object) => Has(value, "x:key"),
        ("entry", JsonValueKind.Array) => value.GetArrayLength() == 2 && Is(value[0], "number") && Is(value[1], "time"),
        ("text*" or "entry*", JsonValueKind.Array) => value.EnumerateArray().All(one => Is(one, kind[..^1])),
        _ => false,
    };
}
