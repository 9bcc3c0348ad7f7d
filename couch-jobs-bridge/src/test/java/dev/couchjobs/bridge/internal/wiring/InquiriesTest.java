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
class InquiriesTest {
    private final List<Inquiries> opened = new ArrayList<>();

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        opened.forEach(Inquiries::close);
    }

    private BridgeConfig config(String node) throws Exception {
        Path file = directory.resolve("./" + node + ".toml");
        Files.writeString(
                file, "node = '" + node + "'\ncouchdb.url = 'http://127.0.0.1:1/jobs'\nengine.directory = 'data'\n");
        return ConfigReader.read(file, Map.of(), Optional.empty());
    }

    private Optional<Inquiries> open(BridgeConfig config, Function<String, CompletableFuture<String>> answers) {
        Optional<Inquiries> inquiries = Inquiries.open(config, answers);
        inquiries.ifPresent(opened::add);
        return inquiries;
    }

    private Optional<Inquiries> openAs(String name, BridgeConfig config) {
        return open(config, document -> CompletableFuture.completedFuture(name + " says " + document));
    }

    @Test
    void aQuestionComesToTheBridgeOfItsConfiguration() throws Exception {
        BridgeConfig alpha = config("alpha");
        BridgeConfig beta = config("beta");
        Inquiries first = openAs("alpha", alpha).orElseThrow();
        assertThat(openAs("beta", beta)).isPresent();
        assertThat(Inquiries.ask(alpha, "größe/1\n")).contains("alpha says größe/1\n");
        assertThat(Inquiries.ask(beta, "x")).contains("beta says x");

        first.close();
        assertThat(Inquiries.ask(alpha, "x")).isEmpty();
        assertThat(Inquiries.ask(beta, "x")).contains("beta says x");
    }

    @Test
    void theFirstOfTwoProcessesWithOneConfigurationAnswers() throws Exception {
        BridgeConfig config = config("alpha");
        Inquiries first = openAs("first", config).orElseThrow();
        assertThat(openAs("second", config)).isEmpty();
        assertThat(Inquiries.ask(config, "x")).contains("first says x");

        first.close();
        assertThat(openAs("second", config)).isPresent();
        assertThat(Inquiries.ask(config, "x")).contains("second says x");
    }

    @Test
    void anAnswerThatFailsSaysWhy() throws Exception {
        BridgeConfig config = config("alpha");
        open(config, document -> CompletableFuture.failedFuture(new IllegalStateException("no luck")));
        assertThat(Inquiries.ask(config, "x").orElse(""))
                .startsWith("the bridge cannot tell: ")
                .contains("no luck");
    }
}
