// SPDX-License-Identifier: Apache-2.0
package penstock.suites;

import kafka.network.SocketServer;
import org.mockito.MockMakers;
import org.mockito.Mockito;

/** A socket server that tells its port, and nothing else. */
final class Ports {
    private Ports() {
    }

    static SocketServer of(int port) {
        return Mockito.mock(SocketServer.class, Mockito.withSettings().mockMaker(MockMakers.SUBCLASS)
            .defaultAnswer(call -> {
                String asked = call.getMethod().getName();
                if (asked.equals("boundPort")) {
                    return port;
                }
                throw NotHere.inside("socketServer." + asked);
            }));
    }
}
