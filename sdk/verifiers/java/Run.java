import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Answers the questions of ../run.ts, a line for each: see ../README.md. */
final class Run {
    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] fields = line.split(" ", -1);
            for (int i = 0; i < fields.length; i++)
                fields[i] = fields[i].equals("-") ? null : new String(Base64.getDecoder().decode(fields[i]), UTF_8);
            List<String> revoked = fields[7] == null ? List.of() : List.of(fields[7].split(","));
            var options = new LatchkeyLease.Options(Long.parseLong(fields[2]), fields[3], fields[4],
                    fields[5] == null ? null : Long.valueOf(fields[5]), fields[6], revoked, fields[8]);
            var result = LatchkeyLease.verify(fields[0], List.of(fields[1].split(",")), options);
            JsonNode claims = result.claims();
            String summary = "\n\n\n";
            if (claims != null) {
                List<String> features = new ArrayList<>();
                for (JsonNode one : claims.get("ent")) features.add(one.textValue());
                summary = String.join("\n", claims.path("jti").asText(), claims.path("sub").asText(), String.join(",", features),
                        claims.path("n").asText());
            }
            String code = result.code() == null ? "-" : result.code();
            System.out.println(result.state() + " " + code + " " + Base64.getEncoder().encodeToString(summary.getBytes(UTF_8)));
        }
    }
}
