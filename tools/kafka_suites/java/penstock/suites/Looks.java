// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import java.util.Map;
import java.util.function.Function;
import kafka.network.SocketServer;
import org.mockito.MockMakers;
import org.mockito.Mockito;

/** Objects of Kafka's server that tell what can be known from outside; whoever asks one for more is aborted. */
final class Looks {
    private Looks() {
    }

    /** With an answer, from the arguments, by the name of each method that is known. */
    static <T> T of(Class<T> kind, String name, Map<String, Function<Object[], Object>> known) {
        return Mockito.mock(kind, Mockito.withSettings().mockMaker(MockMakers.SUBCLASS).defaultAnswer(call -> {
            String asked = call.getMethod().getName();
            if (known.containsKey(asked)) {
                return known.get(asked).apply(call.getArguments());
            }
            if (asked.equals("toString")) {
                return name;
            }
            throw NotHere.inside(name + "." + asked);
        }));
    }

    static SocketServer listening(int port) {
        return of(SocketServer.class, "socketServer", Map.of("boundPort", asked -> port));
    }
}
