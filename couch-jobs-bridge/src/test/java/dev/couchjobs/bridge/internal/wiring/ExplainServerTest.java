package dev.couchjobs.bridge.internal.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.ConfigReader;
import dev.couchjobs.bridge.testing.TestClient;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
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
        Optional<ExplainServer> explainServer = ExplainServer.open(config, TestClient.THREADS, answers);
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

    /** Nothing can be accepted, and the path cannot be deleted: the server has to end all the same. */
    @Test
    void aSocketThatAcceptsNothingEndsTheServer() throws Exception {
        Files.createFile(Files.createDirectory(directory.resolve("socket")).resolve("in the way"));
        FailingSocket socket = new FailingSocket();
        new ExplainServer(
                        "alpha",
                        directory.resolve("socket"),
                        socket,
                        Runnable::run,
                        document -> new CompletableFuture<>())
                .serve();
        assertThat(socket.isOpen()).isFalse();
        assertThat(socket.accepts).isEqualTo(1);
    }

    @Test
    void threadsThatTakeNoTaskEndTheServer() throws Exception {
        BridgeConfig config = config("alpha");
        CompletableFuture<Runnable> serve = new CompletableFuture<>();
        ExplainServer server = ExplainServer.open(
                        config,
                        task -> {
                            if (!serve.complete(task)) {
                                throw new RejectedExecutionException("no threads");
                            }
                        },
                        CompletableFuture::completedFuture)
                .orElseThrow();
        opened.add(server);
        CompletableFuture<Void> served = CompletableFuture.runAsync(serve.join(), TestClient.THREADS);
        assertThat(ExplainServer.ask(config, "x").orElse("")).isEmpty();
        served.join();
        assertThat(openAs("another", config)).isPresent();
    }

    private static final class FailingSocket extends ServerSocketChannel {
        private int accepts;

        FailingSocket() {
            super(SelectorProvider.provider());
        }

        @Override
        public SocketChannel accept() throws IOException {
            if (++accepts > 100) {
                throw new AssertionError("It is asked again and again");
            }
            throw new IOException("Too many open files");
        }

        @Override
        public ServerSocketChannel bind(SocketAddress local, int backlog) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T getOption(SocketOption<T> name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return Set.of();
        }

        @Override
        public java.net.ServerSocket socket() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress getLocalAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void implCloseSelectableChannel() {}

        @Override
        protected void implConfigureBlocking(boolean block) {}
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
