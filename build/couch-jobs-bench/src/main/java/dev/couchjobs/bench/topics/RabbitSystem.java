package dev.couchjobs.bench.topics;

import com.rabbitmq.stream.ConfirmationHandler;
import com.rabbitmq.stream.Consumer;
import com.rabbitmq.stream.Environment;
import com.rabbitmq.stream.OffsetSpecification;
import com.rabbitmq.stream.Producer;
import dev.couchjobs.bench.FreePorts;
import dev.couchjobs.bench.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** RabbitMQ streams, one server; a stream for each partition. */
final class RabbitSystem implements LogSystem {
    private final ServerDirectory directory;
    private final ServerProgram server;
    private final int daemonPort;
    private final Environment environment;
    private final String settings;
    private final AtomicInteger created = new AtomicInteger();

    private RabbitSystem(ServerDirectory directory, ServerProgram server, int port, int daemonPort, String settings) {
        this.directory = directory;
        this.server = server;
        this.daemonPort = daemonPort;
        this.settings = settings;
        environment = Environment.builder().host("127.0.0.1").port(port).build();
    }

    static RabbitSystem start(Path program, ServerDirectory directory, String durability)
            throws IOException, InterruptedException {
        Path home = directory.path();
        int port = FreePorts.one();
        int daemonPort = FreePorts.one();
        Files.writeString(home.resolve("enabled_plugins"), "[rabbitmq_stream].\n");
        Files.writeString(home.resolve("rabbitmq.conf"), """
                listeners.tcp.default = %d
                stream.listeners.tcp.1 = 127.0.0.1:%d
                stream.advertised_host = 127.0.0.1
                stream.advertised_port = %d
                """.formatted(FreePorts.one(), port, port));
        ServerProgram server = ServerProgram.start(
                home,
                port,
                Map.of(
                        "HOME", home.toString(),
                        "ERL_EPMD_PORT", Integer.toString(daemonPort),
                        "RABBITMQ_NODENAME", "bench" + port + "@localhost",
                        "RABBITMQ_DIST_PORT", Integer.toString(FreePorts.one()),
                        "RABBITMQ_MNESIA_BASE", home.resolve("data").toString(),
                        "RABBITMQ_LOG_BASE", home.resolve("log").toString(),
                        "RABBITMQ_CONFIG_FILE", home.resolve("rabbitmq.conf").toString(),
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                                home.resolve("enabled_plugins").toString(),
                        "RABBITMQ_PID_FILE", home.resolve("pid").toString()),
                List.of(program.toString()));
        return new RabbitSystem(
                directory,
                server,
                port,
                daemonPort,
                version(home) + ", streams, 1 replica, " + durability + "; " + Machine.library(Environment.class)
                        + ", batches of the client as by default");
    }

    private static String version(Path home) throws IOException {
        try (var files = Files.walk(home.resolve("log"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                for (String line : Files.readAllLines(file)) {
                    if (line.contains("Starting RabbitMQ")) {
                        return line.replaceFirst(".*Starting ", "");
                    }
                }
            }
        }
        return "RabbitMQ";
    }

    @Override
    public String settings() {
        return settings;
    }

    @Override
    public MessageLog create(int partitions) {
        int number = created.incrementAndGet();
        List<String> streams = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            String name = "bench-" + number + "-" + partition;
            environment.streamCreator().stream(name).create();
            streams.add(name);
        }
        return new RabbitLog(streams);
    }

    @Override
    public void close() throws IOException {
        ProcessBuilder endDaemon = new ProcessBuilder("epmd", "-port", Integer.toString(daemonPort), "-kill")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        Closing.closeAll(environment, server, () -> endDaemon.start().waitFor(), directory);
    }

    private final class RabbitLog implements MessageLog {
        private final List<String> streams;
        private final List<Producer> producers;
        private final AtomicInteger turn = new AtomicInteger();
        private final AtomicInteger groups = new AtomicInteger();

        RabbitLog(List<String> streams) {
            this.streams = streams;
            producers = streams.stream()
                    .map(name -> environment.producerBuilder().stream(name).build())
                    .toList();
        }

        @Override
        public CompletableFuture<?> append(List<byte[]> messages) {
            Producer producer = producers.get(Math.floorMod(turn.getAndIncrement(), streams.size()));
            CompletableFuture<Void> confirmed = new CompletableFuture<>();
            AtomicInteger missing = new AtomicInteger(messages.size());
            ConfirmationHandler handler = status -> {
                if (!status.isConfirmed()) {
                    confirmed.completeExceptionally(new IOException("not confirmed: " + status.getCode()));
                } else if (missing.decrementAndGet() == 0) {
                    confirmed.complete(null);
                }
            };
            messages.forEach(message ->
                    producer.send(producer.messageBuilder().addData(message).build(), handler));
            return confirmed;
        }

        /** Each consumer has every so many streams: this version assigns none by itself. */
        @Override
        public AutoCloseable consume(int consumers, int batch, java.util.function.Consumer<byte[]> handler) {
            String group = "group-" + groups.incrementAndGet();
            List<Consumer> started = new ArrayList<>();
            for (int i = 0; i < Math.min(consumers, streams.size()); i++) {
                for (int partition = i; partition < streams.size(); partition += consumers) {
                    started.add(environment.consumerBuilder().stream(streams.get(partition))
                            .name(group)
                            .offset(OffsetSpecification.first())
                            .autoTrackingStrategy()
                            .messageCountBeforeStorage(batch)
                            .builder()
                            .messageHandler((context, message) -> handler.accept(message.getBodyAsBinary()))
                            .build());
                }
            }
            return () -> started.forEach(Consumer::close);
        }

        @Override
        public void close() {
            producers.forEach(Producer::close);
            streams.forEach(environment::deleteStream);
        }
    }
}
