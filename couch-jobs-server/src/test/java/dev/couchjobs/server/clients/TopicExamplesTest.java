package dev.couchjobs.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer;
import java.util.List;
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

    /** Programs that follow a topic until they have got five messages. */
    private static final Map<String, List<String>> FOLLOWERS = Map.of(
            "Python", List.of("python3", "-c", """
            import asyncio, os
            from couch_jobs import Client

            async def main():
                count = 0
                async with Client(os.environ["COUCH_JOBS_URL"]) as client:
                    async for message in client.topic("news").follow():
                        print(message["partition"], message["value"], flush=True)
                        count += 1
                        if count == 5:
                            return

            asyncio.run(main())
            """), "TypeScript", List.of("node", "--input-type=module", "-e", """
            import { Client } from './dist/index.js';

            let count = 0;
            for await (const message of new Client(process.env.COUCH_JOBS_URL).topic('news').follow()) {
              console.log(message.partition, message.value);
              if (++count === 5) {
                break;
              }
            }
            """));

    @ParameterizedTest
    @MethodSource("dev.couchjobs.server.clients.ClientKit#all")
    void aProgramFollowsATopic(ClientKit kit) {
        try (TestServer server = TestServer.forEverything()) {
            server.put("/v1/topics/news", "{'partitions': 2}");
            append(server, 0, "'a'");
            append(server, 1, "'b'");
            try (ClientProcess program = ClientProcess.start(kit, FOLLOWERS.get(kit.language()), server.uri("/"), "")) {
                while (!program.output().contains("1 b")) {
                    assertThat(program.isAlive()).as(program.output()).isTrue();
                    Thread.onSpinWait();
                }
                append(server, 1, "'c'");
                append(server, 0, "'d'");
                append(server, 1, "'e'");
                assertThat(program.awaitExit()).as(program.output()).isZero();
                assertThat(program.output()).isEqualTo("0 a\n1 b\n1 c\n0 d\n1 e\n");
            }
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
