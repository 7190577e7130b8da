import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;

/**
 * Says what Avro's own library holds of schemas. A line is a reader's schema, or a reader's and a writer's with a tab
 * between them; the answer is a line of fields with tabs between them: the reader's text (or "refused"), and what is
 * incompatible ("refused" where one of them is no schema, "throws" where comparing fails).
 */
public final class AvroJudge {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] pair = line.split("\t");
            Schema reader = parsed(pair[0]);
            String answer = reader == null ? "refused" : reader.toString();
            if (pair.length > 1) {
                Schema writer = parsed(pair[1]);
                answer += "\t" + (reader == null || writer == null ? "refused" : compared(reader, writer));
            }
            answers.println(answer);
        }
        answers.flush();
    }

    private static Schema parsed(String text) {
        try {
            return new Schema.Parser().parse(text);
        } catch (RuntimeException error) {
            return null;
        }
    }

    private static String compared(Schema reader, Schema writer) {
        try {
            StringJoiner found = new StringJoiner(" ");
            SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getResult().getIncompatibilities()
                .forEach(each -> found.add(each.getType() + "@" + each.getLocation()));
            return found.toString();
        } catch (RuntimeException error) {
            return "throws";
        }
    }
}
