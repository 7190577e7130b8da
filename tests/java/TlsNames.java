import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import javax.security.auth.x500.X500Principal;
import org.apache.kafka.common.security.ssl.SslPrincipalMapper;

/** Reads lines of rules, a tab and a subject's DER in hex; answers with its name in hex, and what Kafka makes of it. */
public class TlsNames {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t", -1);
            String name = new X500Principal(HexFormat.of().parseHex(parts[1])).getName();
            String mapped;
            try {
                mapped = "=" + hex(SslPrincipalMapper.fromRules(parts[0]).getName(name));
            } catch (Exception refused) {
                mapped = "-";
            }
            out.println(hex(name) + "\t" + mapped);
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
