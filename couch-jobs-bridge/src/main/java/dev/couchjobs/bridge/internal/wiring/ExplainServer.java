package dev.couchjobs.bridge.internal.wiring;

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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers other processes of this machine why a document is not being worked on, through a socket in the file system.
 * The asking process needs neither the store, which the bridge has locked, nor CouchDB, which may be down.
 */
final class ExplainServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExplainServer.class);
    /** Longer than the bridge waits for CouchDB. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    /** Longer than any document's id. */
    private static final int LONGEST = 1 << 16;
    /** The length of the digest in the name: the path of a socket must be short. */
    private static final int NAME_BYTES = 8;

    private final String node;
    private final Path path;
    private final ServerSocketChannel socket;
    private final Executor threads;
    private final Function<String, CompletableFuture<String>> answers;

    /**
     * Creates a server that does not answer yet.
     *
     * @param path the path to which the socket is bound
     */
    ExplainServer(
            String node,
            Path path,
            ServerSocketChannel socket,
            Executor threads,
            Function<String, CompletableFuture<String>> answers) {
        this.node = node;
        this.path = path;
        this.socket = socket;
        this.threads = threads;
        this.answers = answers;
    }

    /**
     * Starts to answer.
     *
     * @param threads run tasks that block
     * @param answers returns the answer for a document's id
     * @return empty if the machine does not permit it, or another process answers for the configuration; both are
     *     logged
     */
    static Optional<ExplainServer> open(
            BridgeConfig config, Executor threads, Function<String, CompletableFuture<String>> answers) {
        Path path = path(config);
        try {
            if (isAnswered(path)) {
                throw new IOException("another process answers there");
            }
            Files.deleteIfExists(path); // left by a process that was killed
            ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            ExplainServer explainServer = new ExplainServer(config.node(), path, socket, threads, answers);
            socket.bind(UnixDomainSocketAddress.of(path));
            threads.execute(explainServer::serve);
            return Optional.of(explainServer);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("Node {}: --why cannot reach this bridge by the socket {}: {}", config.node(), path, e.toString());
            return Optional.empty();
        }
    }

    /** {@return the answer of the bridge with this configuration; empty if none runs on this machine} Blocks. */
    static Optional<String> ask(BridgeConfig config, String document) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path(config)))) {
            Channels.newOutputStream(channel).write(document.getBytes(StandardCharsets.UTF_8));
            channel.shutdownOutput();
            return Optional.of(new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("Node {}: no process is answered at {}", config.node(), path(config), e);
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

    /** The same path in all processes that read the configuration, and another one for each bridge. */
    private static Path path(BridgeConfig config) {
        Path store = config.engine().path().toAbsolutePath().normalize();
        String bridge = String.join(
                "\n", config.node(), store.toString(), config.engine().prefix());
        String name = HexFormat.of().formatHex(Sha256.of(bridge), 0, NAME_BYTES);
        return Path.of(System.getProperty("java.io.tmpdir"), "couch-jobs-" + name + ".socket");
    }

    /** Answers until the socket is closed. The first failure closes it, because the next accept would fail, too. */
    void serve() {
        try {
            while (true) {
                begin(socket.accept());
            }
        } catch (Throwable e) { // an executor that rejects a task ends this loop, too
            if (socket.isOpen()) {
                LOG.warn("Node {}: --why cannot reach this bridge any more", node, e);
                close();
            }
        }
    }

    private void begin(SocketChannel asked) throws IOException {
        try {
            threads.execute(() -> answer(asked));
        } catch (Throwable e) { // otherwise the other process would wait for an answer
            asked.close();
            throw e;
        }
    }

    private void answer(SocketChannel asked) {
        try (asked;
                OutputStream out = Channels.newOutputStream(asked)) {
            String document = new String(Channels.newInputStream(asked).readNBytes(LONGEST), StandardCharsets.UTF_8);
            if (!document.isEmpty()) { // otherwise the other process has only tested whether a bridge answers
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
            return "the bridge cannot answer: its database does not";
        } catch (ExecutionException | RuntimeException e) {
            return "the bridge cannot answer: " + RootCauses.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the bridge ends";
        }
    }

    @Override
    public void close() {
        try (this.socket) { // also if the path cannot be deleted
            Files.deleteIfExists(path); // before the close, after which another process may create its own
        } catch (IOException e) {
            LOG.debug("Node {}: {} remains", node, path, e);
        }
    }
}
