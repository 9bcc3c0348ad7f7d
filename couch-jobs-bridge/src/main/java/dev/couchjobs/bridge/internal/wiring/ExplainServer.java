package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.bridge.internal.BridgeThreads;
import dev.couchjobs.bridge.internal.RootCauses;
import dev.couchjobs.bridge.internal.Sha256;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers questions about documents that another process of this machine asks, by a socket in the file system. The
 * process that asks needs neither the bridge's store, which the bridge holds, nor CouchDB, which may be what does not
 * answer.
 */
final class ExplainServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExplainServer.class);
    /** Longer than CouchDB is waited for. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    /** No id of a document is as long. */
    private static final int LONGEST = 1 << 16;
    /** Of the digest: the path of a socket has to be short. */
    private static final int NAME_BYTES = 8;

    private final String node;
    private final Path path;
    private final ServerSocketChannel socket;
    private final Function<String, CompletableFuture<String>> answers;

    private ExplainServer(BridgeConfig config, Path path, Function<String, CompletableFuture<String>> answers)
            throws IOException {
        this.node = config.node();
        this.path = path;
        this.answers = answers;
        this.socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        socket.bind(UnixDomainSocketAddress.of(path));
    }

    /**
     * Answers questions from now on.
     *
     * @param answers gives the answer of a document's id
     * @return empty, which the log says, if the machine does not let it, or another process answers for this
     *     configuration
     */
    static Optional<ExplainServer> open(BridgeConfig config, Function<String, CompletableFuture<String>> answers) {
        Path path = path(config);
        try {
            if (isAnswered(path)) {
                throw new IOException("another process answers there");
            }
            Files.deleteIfExists(path); // a process that was killed has left it
            ExplainServer explainServer = new ExplainServer(config, path, answers);
            BridgeThreads.blocking().execute(explainServer::serve);
            return Optional.of(explainServer);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn(
                    "Node {}: --why does not reach this bridge, for the socket {}: {}",
                    config.node(),
                    path,
                    e.toString());
            return Optional.empty();
        }
    }

    /** {@return what the bridge of a configuration says of a document; empty if none runs here} Blocks. */
    static Optional<String> ask(BridgeConfig config, String document) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path(config)))) {
            Channels.newOutputStream(channel).write(document.getBytes(StandardCharsets.UTF_8));
            channel.shutdownOutput();
            return Optional.of(new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("Node {}: {} is not answered", config.node(), path(config), e);
            return Optional.empty();
        }
    }

    private static boolean isAnswered(Path path) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            return channel.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** The same in all processes that read the configuration; different for any two bridges of a machine. */
    private static Path path(BridgeConfig config) {
        Path store = config.engine().path().toAbsolutePath().normalize();
        String bridge = String.join(
                "\n", config.node(), store.toString(), config.engine().prefix());
        String name = HexFormat.of().formatHex(Sha256.of(bridge), 0, NAME_BYTES);
        return Path.of(System.getProperty("java.io.tmpdir"), "couch-jobs-" + name + ".socket");
    }

    private void serve() {
        while (socket.isOpen()) {
            try {
                SocketChannel asked = socket.accept();
                BridgeThreads.blocking().execute(() -> answer(asked));
            } catch (IOException e) {
                if (socket.isOpen()) {
                    LOG.warn("Node {}: --why does not reach this bridge any more", node, e);
                    close();
                }
            }
        }
    }

    private void answer(SocketChannel asked) {
        try (asked;
                OutputStream out = Channels.newOutputStream(asked)) {
            String document = new String(Channels.newInputStream(asked).readNBytes(LONGEST), StandardCharsets.UTF_8);
            if (!document.isEmpty()) { // otherwise the other process has only looked whether anything answers
                out.write(answer(document).getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            LOG.debug("Node {}: a process that has asked did not wait for the answer", node, e);
        }
    }

    private String answer(String document) {
        try {
            return answers.apply(document).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return "the bridge cannot tell: its database does not answer";
        } catch (ExecutionException | RuntimeException e) {
            return "the bridge cannot tell: " + RootCauses.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the bridge ends";
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path); // first: when the socket is closed another process may make its own
            socket.close();
        } catch (IOException e) {
            LOG.debug("Node {}: {} stays", node, path, e);
        }
    }
}
