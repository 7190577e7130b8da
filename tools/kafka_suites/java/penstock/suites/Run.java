// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs one test class (or Class#method) and writes what became of each test to a file, a line of JSON each. */
public final class Run implements TestExecutionListener {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final PrintStream out;
    private final Map<String, Long> begun = new LinkedHashMap<>();

    private Run(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        String wanted = arguments[0];
        DiscoverySelector selector = wanted.contains("#")
            ? methods(wanted.substring(0, wanted.indexOf('#')), wanted.substring(wanted.indexOf('#') + 1))
            : DiscoverySelectors.selectClass(wanted);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(selector)
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .configurationParameter("junit.jupiter.execution.timeout.testable.method.default", arguments[2] + " s")
            .build();
        try (PrintStream out = new PrintStream(arguments[1], StandardCharsets.UTF_8)) {
            LauncherFactory.create().execute(request, new Run(out));
        }
        System.exit(0); // threads that a failed test has left behind do not count
    }

    /** The method of this name, whatever its parameters are. */
    private static DiscoverySelector methods(String type, String method) {
        Class<?> loaded = DiscoverySelectors.selectClass(type).getJavaClass();
        for (Class<?> each = loaded; each != null; each = each.getSuperclass()) {
            for (var found : each.getDeclaredMethods()) {
                if (found.getName().equals(method) && !found.isSynthetic()) {
                    return DiscoverySelectors.selectMethod(loaded, found);
                }
            }
        }
        throw new IllegalArgumentException("there is no " + type + "#" + method);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        begun.put(test.getUniqueId(), System.nanoTime());
        if (test.isTest()) {
            System.out.println("=== " + nameOf(test));
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        tell(test, "skipped", reason, "");
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (test.isTest() || !passed) {
            Throwable cause = result.getThrowable().orElse(null);
            String notHere = NotHere.in(cause);
            String outcome = passed ? "passed" : notHere == null ? "failed" : "skipped";
            StringWriter trace = new StringWriter();
            if (cause != null) {
                cause.printStackTrace(new PrintWriter(trace));
            }
            tell(test, outcome, notHere != null || cause == null ? notHere : cause.getMessage(), trace.toString());
        }
    }

    private void tell(TestIdentifier test, String outcome, String reason, String trace) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("test", nameOf(test));
        line.put("outcome", outcome);
        line.put("reason", reason == null ? "" : reason);
        line.put("seconds", (System.nanoTime() - begun.getOrDefault(test.getUniqueId(), System.nanoTime())) / 1e9);
        line.put("trace", trace);
        try {
            out.println(JSON.writeValueAsString(line));
            out.flush();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static String nameOf(TestIdentifier test) {
        String method = test.getSource().filter(MethodSource.class::isInstance)
            .map(source -> ((MethodSource) source).getMethodName()).orElse("");
        String shown = test.getDisplayName().replaceAll(" MetadataVersion=.*", ""); // the same for all
        return method.isEmpty() || shown.startsWith(method) ? shown : method + " " + shown;
    }
}
