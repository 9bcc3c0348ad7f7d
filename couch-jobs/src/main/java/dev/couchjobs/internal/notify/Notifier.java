package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.data.ChangeFeed;
import dev.couchjobs.internal.data.FeedEntry;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Stamps;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.Loop;
import dev.couchjobs.internal.loop.Pause;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads the change feed of one type for all subscribers in this process, so that the cost follows the number of changes
 * and not the number of subscribers.
 *
 * <p>It remembers how far it has read. A new subscriber may know the job from before that place; then reading goes back
 * there, and the others recognise what they have heard already by its sequence. When there is nothing more to read, the
 * transaction that found so arms the watch, so no change is lost in between.
 */
final class Notifier implements AutoCloseable {
    private static final int PAGE_MAX = 512;

    private final Database database;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final Mailroom mailroom;
    private final BatchSize page = new BatchSize(PAGE_MAX);
    private final Loop loop;

    // Guarded by this.
    private final Map<String, List<FeedSubscription<?>>> subscribers = new HashMap<>();
    private @Nullable Versionstamp cursor;
    /** The earliest place from which somebody who came during the present round is to be told. */
    private @Nullable Versionstamp joinedAt;

    Notifier(Instance instance, String typeName, Mailroom mailroom) {
        this.database = instance.database();
        this.transactions = instance.transactions().named("notify", typeName);
        this.keys = instance.keyspace().type(typeName);
        this.mailroom = mailroom;
        this.loop = new Loop("notifier of " + typeName, instance.environment(), this::round);
    }

    void add(FeedSubscription<?> subscription) {
        synchronized (this) {
            subscribers
                    .computeIfAbsent(subscription.jobId(), id -> new ArrayList<>())
                    .add(subscription);
            cursor = earlier(cursor, subscription.position());
            joinedAt = earlier(joinedAt, subscription.position());
        }
        loop.poke();
    }

    void remove(FeedSubscription<?> subscription) {
        synchronized (this) {
            List<FeedSubscription<?>> ofJob = subscribers.get(subscription.jobId());
            if (ofJob == null || !ofJob.remove(subscription)) {
                return;
            }
            if (ofJob.isEmpty()) {
                subscribers.remove(subscription.jobId());
            }
            if (!subscribers.isEmpty()) {
                return;
            }
            cursor = null;
        }
        loop.poke(); // lets go of the watch
    }

    @Override
    public void close() {
        loop.close();
    }

    /** A page of the feed, with the rows of the jobs in it that somebody here wants to hear of. */
    private record Page(
            List<FeedEntry> entries, Map<String, Optional<byte[]>> data, Optional<CompletableFuture<Void>> watch) {}

    private CompletableFuture<Pause> round() {
        Versionstamp from;
        Map<String, List<FeedSubscription<?>>> told = new HashMap<>();
        synchronized (this) {
            from = cursor;
            joinedAt = null;
            subscribers.forEach((jobId, ofJob) -> told.put(jobId, List.copyOf(ofJob)));
        }
        if (from == null) {
            return CompletableFuture.completedFuture(Pause.untilPoked());
        }
        return page.run(tries -> transactions.run(database, tx -> tries.next(size -> read(tx, from, told, size))))
                .thenApply(read -> {
                    read.entries.forEach(entry -> tell(entry, read, told));
                    advance(from, read.entries);
                    return read.watch.<Pause>map(Pause::until).orElse(Pause.none());
                });
    }

    private CompletableFuture<Page> read(
            Transaction tx, Versionstamp from, Map<String, List<FeedSubscription<?>>> told, int limit) {
        CompletableFuture<List<FeedEntry>> changes = ChangeFeed.read(tx, keys, from, limit);
        return ChangeFeed.trimmedUpTo(tx, keys)
                .thenCompose(trimmed -> trimmed != null && trimmed.compareTo(from) > 0
                        ? lookAtAll(tx, told)
                        : changes.thenCompose(entries -> page(tx, entries, told, entries.size() < limit)));
    }

    private CompletableFuture<Page> page(
            Transaction tx, List<FeedEntry> entries, Map<String, List<FeedSubscription<?>>> told, boolean isLast) {
        Map<String, CompletableFuture<Optional<byte[]>>> reads = new HashMap<>();
        for (FeedEntry entry : entries) {
            if (told.containsKey(entry.jobId())) {
                reads.computeIfAbsent(entry.jobId(), id -> data(tx, id));
            }
        }
        Optional<CompletableFuture<Void>> watch =
                isLast ? Optional.of(tx.watch(keys.watchesActivity())) : Optional.empty();
        return CompletableFuture.allOf(reads.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, Optional<byte[]>> data = new HashMap<>();
                    reads.forEach((jobId, read) -> data.put(jobId, read.join()));
                    return new Page(entries, data, watch);
                });
    }

    private CompletableFuture<Optional<byte[]>> data(Transaction tx, String jobId) {
        JobRef ref = new JobRef(keys, jobId);
        return JobTable.find(tx.snapshot(), ref)
                .thenCompose(row -> row.isEmpty()
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : row.get().payload().load(tx.snapshot(), ref).thenApply(Optional::of));
    }

    /**
     * This process was away for so long that the feed was trimmed before it could read on: instead of the changes it
     * missed, every subscriber is told the present state.
     */
    private CompletableFuture<Page> lookAtAll(Transaction tx, Map<String, List<FeedSubscription<?>>> told) {
        return tx.getReadVersion().thenCompose(version -> {
            Versionstamp now = Stamps.upTo(version);
            List<CompletableFuture<FeedEntry>> looks = told.keySet().stream()
                    .map(jobId -> JobTable.find(tx.snapshot(), new JobRef(keys, jobId))
                            .thenApply(row -> new FeedEntry(
                                    now, jobId, row.map(found -> found.state()).orElse(JobState.NOT_FOUND))))
                    .toList();
            return CompletableFuture.allOf(looks.toArray(CompletableFuture<?>[]::new))
                    .thenCompose(done ->
                            page(tx, looks.stream().map(CompletableFuture::join).toList(), told, true));
        });
    }

    private void tell(FeedEntry entry, Page page, Map<String, List<FeedSubscription<?>>> told) {
        Optional<byte[]> json = page.data.getOrDefault(entry.jobId(), Optional.empty());
        Change change = new Change(entry.sequence(), entry.state(), json);
        for (FeedSubscription<?> subscription : told.getOrDefault(entry.jobId(), List.of())) {
            if (!mailroom.deliver(subscription, change)) {
                remove(subscription);
            }
        }
    }

    /** Goes on behind what was read, but not beyond what somebody who came meanwhile has not been told. */
    private synchronized void advance(Versionstamp from, List<FeedEntry> entries) {
        if (!entries.isEmpty() && Objects.equals(cursor, from)) {
            cursor = earlier(joinedAt, entries.get(entries.size() - 1).sequence());
        }
    }

    private static Versionstamp earlier(@Nullable Versionstamp one, Versionstamp other) {
        return one != null && one.compareTo(other) < 0 ? one : other;
    }
}
