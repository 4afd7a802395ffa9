// Answers the questions of ../run.ts, a line for each: see ../README.md.
using System;
using System.Linq;
using System.Text;
using System.Text.Json;

public static class Run
{
    public static void Main()
    {
        while (Console.ReadLine() is { } line) Console.WriteLine(Answer(line));
    }

    public static string Answer(string line)
    {
        var fields = line.Split(' ').Select(field => field == "-" ? null : Encoding.UTF8.GetString(Convert.FromBase64String(field))).ToArray();
        var options = new LeaseOptions(
            Now: long.Parse(fields[2]!),
            Fingerprint: fields[3],
            DeviceKey: fields[4],
            Product: fields[5] is { } product ? long.Parse(product) : null,
            Nonce: fields[6],
            RevokedKeys: fields[7]?.Split(','),
            Revocations: fields[8]);
        var result = LatchkeyLease.Verify(fields[0]!, fields[1]!.Split(','), options);
        string Text(string name) => result.Claims?.TryGetProperty(name, out var value) == true ? value.GetString()! : "";
        var ent = result.Claims?.GetProperty("ent").EnumerateArray().Select(name => name.GetString()) ?? Array.Empty<string?>();
        var summary = string.Join('\n', Text("jti"), Text("sub"), string.Join(',', ent), Text("n"));
        return $"{result.State} {result.Code ?? "-"} {Convert.ToBase64String(Encoding.UTF8.GetBytes(summary))}";
    }
}
