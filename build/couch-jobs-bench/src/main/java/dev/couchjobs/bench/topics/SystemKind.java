package dev.couchjobs.bench.topics;

import com.apple.foundationdb.Database;
import dev.couchjobs.bench.jobs.PostgresServer;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The systems to measure. The first four have an acknowledged message on disk. The next three have handed it to the
 * operating system: neither NATS before 2.10 nor RabbitMQ's streams can do more by themselves.
 */
enum SystemKind {
    /** Topics on the embedded engine. */
    TOPICS("topics"),
    /** PostgreSQL. */
    POSTGRESQL("PostgreSQL"),
    /** NATS, whose writes the file system syncs. */
    NATS_SYNCED("NATS, synced"),
    /** RabbitMQ, whose writes the file system syncs. */
    RABBITMQ_SYNCED("RabbitMQ, synced"),
    /** Topics on the embedded engine, which syncs later. */
    TOPICS_RELAXED("topics, relaxed"),
    /** NATS. */
    NATS("NATS"),
    /** RabbitMQ. */
    RABBITMQ("RabbitMQ"),
    /** Topics on a FoundationDB cluster. */
    CLUSTER("topics, cluster");

    private static final String SYNCED = "chattr +S: the file system syncs each write";
    private static final String NATS_RELAXED = "no sync before an acknowledgement (sync_interval always needs 2.10)";
    private static final String RABBITMQ_RELAXED = "no sync before a confirmation (streams have no setting for it)";

    private final String label;

    SystemKind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** Whether an acknowledged message survives a loss of power. */
    boolean isSynced() {
        return compareTo(TOPICS_RELAXED) < 0 || this == CLUSTER;
    }

    /** The topics to compare it with. */
    SystemKind baseline() {
        return isSynced() ? TOPICS : TOPICS_RELAXED;
    }

    private static Optional<Path> nats() {
        return ServerProgram.find("/usr/sbin/nats-server", "/usr/bin/nats-server");
    }

    private static Optional<Path> rabbitmq() {
        return ServerProgram.find("/usr/lib/rabbitmq/bin/rabbitmq-server", "/usr/sbin/rabbitmq-server");
    }

    /** The reason why a system cannot be measured here; empty if it can. */
    String obstacle(TopicBenchSettings settings) throws InterruptedException {
        return switch (this) {
            case TOPICS, TOPICS_RELAXED -> "";
            case CLUSTER ->
                DatabaseLocation.ofEnvironment() instanceof DatabaseLocation.ClusterFile
                        ? ""
                        : DatabaseLocation.CLUSTER_FILE_VARIABLE + " names no cluster";
            case POSTGRESQL ->
                PostgresServer.isInstalled(settings.postgres())
                        ? ""
                        : "it is not installed (Debian: apt install postgresql-15; elsewhere: --postgres PATH)";
            case NATS, NATS_SYNCED ->
                obstacle(nats().isPresent(), "it is not installed (Debian: apt install nats-server)", settings);
            case RABBITMQ, RABBITMQ_SYNCED ->
                obstacle(rabbitmq().isPresent(), "it is not installed (Debian: apt install rabbitmq-server)", settings);
        };
    }

    private String obstacle(boolean isInstalled, String absence, TopicBenchSettings settings)
            throws InterruptedException {
        if (!isInstalled) {
            return absence;
        }
        return isSynced() && !ServerDirectory.canSync(settings.directory())
                ? "chattr +S fails in " + settings.directory()
                : "";
    }

    LogSystem open(Path parent, Path postgres) throws IOException, InterruptedException {
        return switch (this) {
            case TOPICS -> embedded(parent, Durability.SYNCED, "every commit is synced");
            case TOPICS_RELAXED -> embedded(parent, Durability.RELAXED, "a commit is synced a moment later");
            case CLUSTER ->
                new TopicsSystem(
                        Databases.open(DatabaseLocation.ofEnvironment()),
                        "the cluster of " + DatabaseLocation.CLUSTER_FILE_VARIABLE,
                        () -> {});
            case POSTGRESQL -> new PostgresSystem(PostgresServer.start(postgres, parent));
            case NATS_SYNCED ->
                NatsSystem.start(nats().orElseThrow(), ServerDirectory.createSynced(parent, "nats-"), SYNCED);
            case NATS -> NatsSystem.start(nats().orElseThrow(), ServerDirectory.create(parent, "nats-"), NATS_RELAXED);
            case RABBITMQ_SYNCED ->
                RabbitSystem.start(rabbitmq().orElseThrow(), ServerDirectory.createSynced(parent, "rabbitmq-"), SYNCED);
            case RABBITMQ ->
                RabbitSystem.start(
                        rabbitmq().orElseThrow(), ServerDirectory.create(parent, "rabbitmq-"), RABBITMQ_RELAXED);
        };
    }

    private static LogSystem embedded(Path parent, Durability durability, String meaning) throws IOException {
        ServerDirectory directory = ServerDirectory.create(parent, "topics-");
        Database database = EmbeddedDatabase.open(directory.path().resolve("database"), durability);
        return new TopicsSystem(database, "fdb-embedded, " + durability + ": " + meaning, directory);
    }
}
