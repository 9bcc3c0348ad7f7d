package dev.couchjobs.topics.internal.changes;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ChangePage;
import dev.couchjobs.Environment;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobType;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.topics.internal.changes.PublishedChanges.Published;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import dev.couchjobs.topics.internal.loops.Rounds;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Publishes changes for as long as it runs. The process that has published last is active. The others wait some seconds
 * after a change before they look whether it was published, so that they do not all try at once.
 */
public final class Publisher {
    private static final SafeLog LOG = SafeLog.of(Publisher.class);
    private static final Duration STANDBY = Duration.ofSeconds(2);
    private static final int STANDBY_JITTER_MILLIS = 1_000;
    /** A watch may be lost. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final Database database;
    private final Environment environment;
    private final TopicTable table;
    private final String topicName;
    private final JobChanges changes;
    private final JobType<?, ?> type;
    private final PublishedChanges published;
    private final Loop loop;
    private final Rounds rounds = new Rounds();

    /** The cursor that this process has stored last: while it is there, the process is active. */
    private volatile @Nullable Versionstamp mine;

    public Publisher(
            Database database,
            Environment environment,
            TopicTable table,
            String topicName,
            JobChanges changes,
            JobType<?, ?> type,
            BiFunction<Transaction, ChangePage, CompletableFuture<?>> append) {
        this.database = database;
        this.environment = environment;
        this.table = table;
        this.topicName = topicName;
        this.changes = changes;
        this.type = type;
        published = new PublishedChanges(changes, type, append);
        loop = new Loop(
                "changes of " + type.name() + " for topic " + topicName, environment, () -> rounds.run(this::publish));
    }

    /** Starts, once the topic is there. */
    public CompletableFuture<Void> start() {
        return TopicTransactions.read(database, "publish", tx -> table.get(tx, topicName))
                .thenAccept(row -> loop.wakeUp());
    }

    /**
     * What a transaction has found.
     *
     * @param published nothing if the topic is deleted
     * @param topicChanged fires when the topic is deleted or created again: then it has none of the changes
     */
    private record Found(Optional<Published> published, CompletableFuture<Void> topicChanged) {}

    private CompletableFuture<Pause> publish() {
        return TopicTransactions.run(
                        database,
                        "publish",
                        tx -> table.find(tx, topicName)
                                .thenCompose(row -> publish(tx, row))
                                .thenApply(found -> new Found(found, table.watch(tx, topicName))))
                .thenApply(found -> found.published()
                        .map(some -> pause(some, found.topicChanged()))
                        .orElseGet(() -> {
                            LOG.warn("Changes of type {} wait for topic {}, which is deleted", type.name(), topicName);
                            return Pause.until(found.topicChanged()).cappedAt(LOOK_AGAIN);
                        }));
    }

    private CompletableFuture<Optional<Published>> publish(Transaction tx, Optional<TopicRow> row) {
        return row.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : published.next(tx, table.log(row.get())).thenApply(Optional::of);
    }

    private Pause pause(Published found, CompletableFuture<Void> topicChanged) {
        if (found.page().isTrimmed()) {
            LOG.warn(
                    "Changes of type {} were removed before they were published in topic {}: give the jobs a longer"
                            + " feedRetention",
                    type.name(),
                    topicName);
        }
        if (found.hasAppended()) {
            mine = found.page().next();
            topicChanged.cancel(false);
            return Pause.none(); // perhaps there are more
        }
        boolean isActive = Objects.equals(mine, found.cursor());
        CompletableFuture<Boolean> changed = changes.await(type, found.page().next(), LOOK_AGAIN);
        CompletableFuture<Void> first = Pause.firstOf(changed.thenAccept(isChanged -> {}), topicChanged);
        var unused = first.whenComplete((done, error) -> changed.cancel(false));
        return Pause.until(isActive ? first : first.thenCompose(done -> later()));
    }

    private CompletableFuture<Void> later() {
        CompletableFuture<Void> wait = new CompletableFuture<>();
        long millis = STANDBY.toMillis() + environment.random().nextInt(STANDBY_JITTER_MILLIS);
        var unused = environment.scheduler().schedule(() -> wait.complete(null), millis, TimeUnit.MILLISECONDS);
        return wait;
    }

    /** Begins no further round. {@return completes when the present one has ended} */
    public CompletableFuture<Void> stop() {
        loop.close();
        return rounds.stop();
    }
}
