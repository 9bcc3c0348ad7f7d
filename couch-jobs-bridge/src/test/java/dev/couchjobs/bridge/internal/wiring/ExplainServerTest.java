package dev.couchjobs.bridge.internal.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.ConfigReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Questions from other processes of the machine. */
@Timeout(60)
class ExplainServerTest {
    private final List<ExplainServer> opened = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        opened.forEach(ExplainServer::close);
    }

    private BridgeConfig config(String node) throws Exception {
        Path file = directory.resolve("./" + node + ".toml");
        Files.writeString(
                file, "node = '" + node + "'\ncouchdb.url = 'http://127.0.0.1:1/jobs'\nengine.directory = 'data'\n");
        return ConfigReader.read(file, Map.of(), Optional.empty());
    }

    private Optional<ExplainServer> open(BridgeConfig config, Function<String, CompletableFuture<String>> answers) {
        Optional<ExplainServer> explainServer = ExplainServer.open(config, answers);
        explainServer.ifPresent(opened::add);
        return explainServer;
    }

    private Optional<ExplainServer> openAs(String name, BridgeConfig config) {
        return open(config, document -> CompletableFuture.completedFuture(name + " says " + document));
    }

    @Test
    void aQuestionComesToTheBridgeOfItsConfiguration() throws Exception {
        BridgeConfig alpha = config("alpha");
        BridgeConfig beta = config("beta");
        ExplainServer first = openAs("alpha", alpha).orElseThrow();
        assertThat(openAs("beta", beta)).isPresent();
        assertThat(ExplainServer.ask(alpha, "größe/1\n")).contains("alpha says größe/1\n");
        assertThat(ExplainServer.ask(beta, "x")).contains("beta says x");

        first.close();
        assertThat(ExplainServer.ask(alpha, "x")).isEmpty();
        assertThat(ExplainServer.ask(beta, "x")).contains("beta says x");
    }

    @Test
    void theFirstOfTwoProcessesWithOneConfigurationAnswers() throws Exception {
        BridgeConfig config = config("alpha");
        ExplainServer first = openAs("first", config).orElseThrow();
        assertThat(openAs("second", config)).isEmpty();
        assertThat(ExplainServer.ask(config, "x")).contains("first says x");

        first.close();
        assertThat(openAs("second", config)).isPresent();
        assertThat(ExplainServer.ask(config, "x")).contains("second says x");
    }

    @Test
    void anAnswerThatFailsSaysWhy() throws Exception {
        BridgeConfig config = config("alpha");
        open(config, document -> CompletableFuture.failedFuture(new IllegalStateException("no luck")));
        assertThat(ExplainServer.ask(config, "x").orElse(""))
                .startsWith("the bridge cannot answer: ")
                .contains("no luck");
    }
}
