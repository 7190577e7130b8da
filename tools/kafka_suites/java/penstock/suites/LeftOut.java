// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips the tests that the runner leaves out (left_out.py): a name, of a class, Class#method or, of a method that is run
 * several times, Class#method [number], and a reason a line.
 */
public final class LeftOut implements ExecutionCondition {
    private final Map<String, String> reasons = new HashMap<>();

    public LeftOut() {
        try {
            for (String line : Files.readAllLines(Path.of(System.getProperty("penstock.suites.left.out")))) {
                String[] parts = line.split("\t", 2);
                reasons.put(parts[0], parts[1]);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String type = context.getTestClass().map(Class::getSimpleName).orElse("");
        String method = context.getTestMethod().map(Method::getName).orElse("");
        String number = context.getDisplayName().split(" ", 2)[0];
        String reason = reasons.getOrDefault(type + "#" + method, reasons.get(type));
        reason = reasons.getOrDefault(type + "#" + method + " " + number, reason);
        return reason == null ? ConditionEvaluationResult.enabled("") : ConditionEvaluationResult.disabled(reason);
    }
}
