package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The clients' examples with topics, against a server. */
@Timeout(60)
class TopicExamplesTest {
    private static final Map<String, String> OUTPUTS = Map.of("Python", """
            ['log'] 2
            INFO started | WARN slow | None
            INFO started | 1
            """, "TypeScript", """
            ada {"item":"lamp"}
            ada {"item":"chair"}
            left 2
            """);

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void theExampleDoesWhatItSays(ClientKit kit) {
        try (TestServer server = TestServer.forEverything();
                ClientProcess example = ClientProcess.start(kit, kit.topics(), server.uri("/"), "")) {
            assertThat(example.awaitExit()).as(example.output()).isZero();
            assertThat(example.output()).isEqualTo(OUTPUTS.get(kit.language()));
        }
    }
}
