package dev.couchjobs.bench.topics;

import dev.couchjobs.bench.FreePorts;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamOptions;
import io.nats.client.JetStreamReader;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** NATS JetStream, one server. */
final class NatsSystem implements LogSystem {
    private static final int UNACKNOWLEDGED_MAX = 100_000;
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration WAIT = Duration.ofMillis(100);

    private final ServerDirectory directory;
    private final ServerProgram server;
    private final Options options;
    private final Connection connection;
    private final String settings;
    private final AtomicInteger created = new AtomicInteger();

    private NatsSystem(ServerDirectory directory, ServerProgram server, int port, String settings)
            throws IOException, InterruptedException {
        this.directory = directory;
        this.server = server;
        this.settings = settings;
        options = Options.builder().server("nats://127.0.0.1:" + port).build();
        connection = Nats.connect(options);
    }

    static NatsSystem start(Path program, ServerDirectory directory, String durability)
            throws IOException, InterruptedException {
        int port = FreePorts.one();
        ServerProgram server = ServerProgram.start(
                directory.path(),
                port,
                Map.of(),
                List.of(
                        program.toString(),
                        "-a",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(port),
                        "-js",
                        "-sd",
                        directory.path().resolve("store").toString()));
        String version = ServerProgram.firstLine(program.toString(), "--version");
        return new NatsSystem(
                directory,
                server,
                port,
                version + ", file storage, 1 replica, " + durability + "; jnats " + Nats.CLIENT_VERSION
                        + ", a subject for each partition, a batch is single messages");
    }

    @Override
    public String settings() {
        return settings;
    }

    @Override
    public MessageLog create(int partitions) throws Exception {
        String name = "bench" + created.incrementAndGet();
        var unused = connection
                .jetStreamManagement()
                .addStream(StreamConfiguration.builder()
                        .name(name)
                        .subjects(name + ".*")
                        .storageType(StorageType.File)
                        .build());
        return new NatsLog(name, partitions);
    }

    @Override
    public void close() throws IOException {
        Closing.closeAll(connection, server, directory);
    }

    private final class NatsLog implements MessageLog {
        private final String name;
        private final int partitions;
        private final JetStream stream;
        private final AtomicInteger turn = new AtomicInteger();
        private final AtomicInteger groups = new AtomicInteger();

        NatsLog(String name, int partitions) throws IOException {
            this.name = name;
            this.partitions = partitions;
            stream = connection.jetStream(
                    JetStreamOptions.builder().requestTimeout(TIMEOUT).build());
        }

        @Override
        public CompletableFuture<?> append(List<byte[]> messages) {
            String subject = name + "." + Math.floorMod(turn.getAndIncrement(), partitions);
            return CompletableFuture.allOf(messages.stream()
                    .map(message -> stream.publishAsync(subject, message))
                    .toArray(CompletableFuture<?>[]::new));
        }

        /** One consumer acknowledges all messages up to one; of several each acknowledges each of its messages. */
        @Override
        public AutoCloseable consume(int consumers, int batch, Consumer<byte[]> handler) throws Exception {
            boolean isAlone = consumers == 1;
            PullSubscribeOptions durable = PullSubscribeOptions.builder()
                    .durable("group" + groups.incrementAndGet())
                    .configuration(ConsumerConfiguration.builder()
                            .deliverPolicy(DeliverPolicy.All)
                            .ackPolicy(isAlone ? AckPolicy.All : AckPolicy.Explicit)
                            .maxAckPending(UNACKNOWLEDGED_MAX)
                            .build())
                    .build();
            List<Connection> connections = new ArrayList<>();
            ConsumerThreads threads = new ConsumerThreads();
            for (int i = 0; i < consumers; i++) {
                Connection own = Nats.connect(options);
                connections.add(own);
                JetStreamSubscription subscription = own.jetStream().subscribe(name + ".*", durable);
                JetStreamReader reader = subscription.reader(batch, batch / 2);
                AtomicInteger count = new AtomicInteger();
                threads.start(() -> {
                    Message message = reader.nextMessage(WAIT);
                    if (message != null) {
                        handler.accept(message.getData());
                        if (!isAlone || count.incrementAndGet() % batch == 0) {
                            message.ack();
                        }
                    }
                });
            }
            return () -> {
                threads.close();
                for (Connection own : connections) {
                    own.close();
                }
            };
        }

        @Override
        public void close() throws IOException {
            Closing.closeAll(() -> connection.jetStreamManagement().deleteStream(name));
        }
    }
}
