package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.server.TestServer;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The clients' examples with topics, against a server. */
@Timeout(60)
@Tag("processes")
class TopicExamplesTest {
    /** The place of the example on the page. */
    private static final int FOLLOWER = 1;

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
    void theFollowerOfTheReadmeShowsMessagesAsTheyCome(ClientKit kit) throws IOException {
        try (TestServer server = TestServer.forEverything()) {
            server.put("/v1/topics/news", "{'partitions': 2}");
            append(server, 0, "'a'");
            append(server, 1, "'b'");
            try (ClientProcess program =
                    ClientProcess.start(kit, kit.example(kit.readme().get(0), FOLLOWER), server.uri("/"), "")) {
                awaitLine(program, "1 b");
                append(server, 1, "'c'");
                append(server, 0, "'d'");
                append(server, 1, "'e'");
                awaitLine(program, "1 e");
                assertThat(program.output()).isEqualTo("0 a\n1 b\n1 c\n0 d\n1 e\n");
            }
        }
    }

    private static void awaitLine(ClientProcess program, String line) {
        while (!program.output().contains(line + "\n")) {
            assertThat(program.isAlive()).as(program.output()).isTrue();
            Polling.pause();
        }
    }

    private static void append(TestServer server, int partition, String value) {
        String message = "{'value': " + value + ", 'partition': " + partition + "}";
        assertThat(server.post("/v1/topics/news/messages", "{'messages': [" + message + "]}")
                        .status())
                .isEqualTo(200);
    }

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
