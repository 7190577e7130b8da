// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import org.apache.kafka.test.NoRetryException;
import org.opentest4j.TestAbortedException;

/** Why a test cannot go on. It counts as skipped, and a helper of Kafka's that tries things again does not. */
public final class NotHere {
    private NotHere() {
    }

    public static RuntimeException inside(String what) {
        return reason("looks into the broker's process: " + what);
    }

    public static RuntimeException controller() {
        return reason("asks for KRaft controllers");
    }

    public static RuntimeException notBuilt(String what) {
        return reason("not built yet: " + what);
    }

    private static RuntimeException reason(String text) {
        return new NoRetryException(new TestAbortedException(text));
    }

    /** The reason, if that is why a test ended; null if it failed. */
    static String in(Throwable error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof TestAbortedException) {
                return each.getMessage();
            }
        }
        return null;
    }
}
