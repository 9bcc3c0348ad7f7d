package dev.couchjobs.topics.internal.consumers;

import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.topics.TopicsListener.PartitionLost;
import dev.couchjobs.topics.TopicsListener.PartitionTaken;
import dev.couchjobs.topics.internal.groups.Claim;
import dev.couchjobs.topics.internal.groups.Consumption;
import dev.couchjobs.topics.internal.groups.GroupTable;
import dev.couchjobs.topics.internal.groups.Membership;
import dev.couchjobs.topics.internal.groups.Sweeper;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.loops.Rounds;
import dev.couchjobs.topics.internal.messages.PartitionChooser;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One consumer: a member of its group, with a runner for each partition that it holds. The members' rounds decide what
 * it holds; a runner that meets another holder stops by itself.
 */
public final class ConsumerEngine<T> {
    /** A member is dead after a lease without heartbeats; it sends several in this time. */
    private static final int HEARTBEATS_PER_LEASE = 3;

    private static final SafeLog LOG = SafeLog.of(ConsumerEngine.class);
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);
    private static final Duration WARNED_EVERY = Duration.ofMinutes(1);

    private final ConsumerSettings<T> settings;
    private final Membership membership;
    private final Loop loop;
    private final Rounds rounds = new Rounds();
    private final Loop sweeps;

    @GuardedBy("this") private final Map<Integer, PartitionRunner<T>> runners = new HashMap<>();

    /** Of partitions whose handlers end before others may take them. */
    @GuardedBy("this") private final Map<Integer, CompletableFuture<Void>> releases = new HashMap<>();

    /** Of partitions that are lost whose handlers still run. */
    @GuardedBy("this") private final Map<Integer, CompletableFuture<Void>> lost = new HashMap<>();

    /** When a partition was logged whose row is damaged. */
    @GuardedBy("this") private final Map<Integer, Instant> warned = new HashMap<>();

    @GuardedBy("this") private boolean isClosed;

    /** Completes when the consumer has stopped and no handler runs. */
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** A round with the row of the topic that it has read. */
    private record Found(TopicRow topic, Membership.Round round) {}

    public ConsumerEngine(ConsumerSettings<T> settings) {
        this.settings = settings;
        membership = new Membership(
                settings.group(),
                settings.member(),
                settings.environment().random().nextInt(),
                settings.chosen(),
                settings.lease());
        String name = settings.group() + " of topic " + settings.topic().name();
        loop = new Loop("member of group " + name, settings.environment(), () -> rounds.run(this::round));
        loop.backOffAtMost(settings.lease().dividedBy(HEARTBEATS_PER_LEASE));
        sweeps = new Loop("retention by group " + name, settings.environment(), this::sweep);
    }

    /** Joins the group, which is created if it is not there. {@return completes when it has joined} */
    public CompletableFuture<Void> start() {
        return TopicTransactions.run(
                        settings.database(),
                        "join",
                        tx -> settings.deadLetters()
                                .map(letters -> letters.check(tx))
                                .orElse(CompletableFuture.completedFuture(null))
                                .thenCompose(checked -> joined(tx)))
                .thenAccept(joined -> {
                    loop.wakeUp();
                    sweeps.wakeUp();
                });
    }

    /** {@return the topic, once the group is there: it is created again if it or its topic was deleted} */
    private CompletableFuture<TopicRow> joined(Transaction tx) {
        return settings.table()
                .get(tx, settings.topic().name())
                .thenApply(this::withChosen)
                .thenCompose(row -> new GroupTable(settings.table().log(row))
                        .create(
                                tx,
                                settings.group(),
                                row.settings().partitions(),
                                settings.start(),
                                settings.environment().clock().instant())
                        .thenApply(created -> row));
    }

    /** {@return the topic, which has the partitions that the consumer wants} */
    private TopicRow withChosen(TopicRow row) {
        settings.chosen()
                .forEach(partition -> PartitionChooser.check(settings.topic().name(), partition, row.settings()));
        return row;
    }

    private CompletableFuture<Pause> round() {
        return TopicTransactions.run(
                        settings.database(),
                        "heartbeat",
                        tx -> joined(tx)
                                .thenCompose(row -> membership
                                        .round(
                                                tx,
                                                new GroupTable(settings.table().log(row)),
                                                row.settings().partitions(),
                                                settings.environment().clock().instant())
                                        .thenApply(found -> new Found(row, found))))
                .thenApply(found -> {
                    GroupTable table = new GroupTable(settings.table().log(found.topic()));
                    adopt(table, found.round().claims());
                    found.round().release().forEach(partition -> release(table, partition));
                    found.round().damaged().forEach(this::warn);
                    return Pause.until(found.round().changed())
                            .cappedAt(settings.lease().dividedBy(HEARTBEATS_PER_LEASE));
                });
    }

    /** Each is logged once a minute, also if the clock is set. */
    private synchronized void warn(int damaged) {
        Instant now = settings.environment().clock().instant();
        Instant last = warned.get(damaged);
        if (last == null || Duration.between(last, now).abs().compareTo(WARNED_EVERY) >= 0) {
            warned.put(damaged, now);
            LOG.warn(
                    "Group \"{}\" consumes nothing of partition {} of topic \"{}\": the row of the group cannot be"
                            + " decoded. To repair it, seek the group in this partition.",
                    settings.group(),
                    damaged,
                    settings.topic().name());
        }
    }

    /** Runs what is held, and nothing else. */
    private synchronized void adopt(GroupTable table, List<Claim> claims) {
        if (isClosed) {
            return;
        }
        Set<Integer> held = new HashSet<>();
        for (Claim claim : claims) {
            held.add(claim.partition());
            PartitionRunner<T> runner = runners.get(claim.partition());
            boolean isNew = runner == null || !runner.claim().equals(claim);
            if (isNew && !releases.containsKey(claim.partition())) {
                replace(table, claim, runner);
            }
        }
        for (PartitionRunner<T> runner : List.copyOf(runners.values())) {
            if (!held.contains(runner.claim().partition())) {
                lose(runner);
            }
        }
    }

    /** What is handled does not commit, but it has to end before the partition is consumed here again. */
    @GuardedBy("this") private void lose(PartitionRunner<T> runner) {
        int partition = runner.claim().partition();
        runners.remove(partition);
        CompletableFuture<Void> end = runner.stop();
        lost.put(partition, end);
        var unused = end.whenComplete((done, error) -> hasEnded(partition, end));
        reportLoss(runner.claim());
    }

    private synchronized void hasEnded(int partition, CompletableFuture<Void> end) {
        lost.remove(partition, end);
    }

    private void reportLoss(Claim claim) {
        if (!settings.listeners().isEmpty()) {
            PartitionLost lost = new PartitionLost(settings.topic().name(), settings.group(), claim.partition());
            settings.listeners().report("partitionLost", listener -> listener.partitionLost(lost));
        }
    }

    /** After a seek, or after a loss and a new claim, the former runner ends before the next one begins. */
    @GuardedBy("this") private void replace(GroupTable table, Claim claim, @Nullable PartitionRunner<T> former) {
        PartitionRunner<T> next = new PartitionRunner<>(
                settings,
                claim,
                new Consumption(table, settings.group(), claim),
                former == null
                        ? lost.getOrDefault(claim.partition(), CompletableFuture.completedFuture(null))
                        : former.stop(),
                loop::wakeUp);
        runners.put(claim.partition(), next);
        if (former == null && !settings.listeners().isEmpty()) {
            PartitionTaken taken = new PartitionTaken(settings.topic().name(), settings.group(), claim.partition());
            settings.listeners().report("partitionTaken", listener -> listener.partitionTaken(taken));
        }
        next.start();
    }

    /**
     * What is handled goes on until it has committed; then others may take the partition. Heartbeats go on meanwhile.
     */
    private synchronized void release(GroupTable table, int partition) {
        PartitionRunner<T> runner = runners.remove(partition);
        if (runner == null || isClosed) {
            return;
        }
        CompletableFuture<Void> release = runner.stop()
                .thenCompose(done -> TopicTransactions.run(
                        settings.database(), "release", tx -> membership.release(tx, table, List.of(partition))));
        releases.put(partition, release);
        var unused = release.whenComplete((done, error) -> released(partition, error));
    }

    private void released(int partition, @Nullable Throwable error) {
        synchronized (this) {
            releases.remove(partition);
        }
        if (error != null) {
            LOG.warn("Partition {} of topic {} was not released, and is again: {}", partition, settings.topic(), error);
        }
        loop.wakeUp();
    }

    private CompletableFuture<Void> stop(List<PartitionRunner<T>> stopping) {
        return CompletableFuture.allOf(
                stopping.stream().map(PartitionRunner::stop).toArray(CompletableFuture<?>[]::new));
    }

    /** The holder of a partition removes what its topic does not keep. */
    private CompletableFuture<Pause> sweep() {
        return new Sweeper(
                        settings.database(),
                        settings.environment(),
                        settings.table(),
                        settings.topic().name())
                .sweep(topic -> held())
                .thenApply(done -> Pause.atMost(SWEEP_INTERVAL));
    }

    private synchronized List<Integer> held() {
        return List.copyOf(runners.keySet());
    }

    /** Begins nothing more, waits for what is handled, and leaves the group. */
    public CompletableFuture<Void> stop() {
        return end().thenCompose(done -> TopicTransactions.run(
                settings.database(),
                "leave",
                tx -> settings.table()
                        .find(tx, settings.topic().name())
                        .thenCompose(row -> row.isEmpty()
                                ? CompletableFuture.completedFuture(null)
                                : membership.leave(
                                        tx, new GroupTable(settings.table().log(row.get()))))));
    }

    /** Begins nothing more. {@return completes when no handler runs, also of partitions that are lost} */
    private CompletableFuture<Void> end() {
        List<PartitionRunner<T>> all;
        List<CompletableFuture<Void>> ending;
        synchronized (this) {
            if (isClosed) {
                return ended;
            }
            isClosed = true;
            all = List.copyOf(runners.values());
            ending = new ArrayList<>(releases.values());
            ending.addAll(lost.values());
            runners.clear();
        }
        loop.close();
        sweeps.close();
        var unused = rounds.stop()
                .thenCompose(stopped -> stop(all))
                .thenCompose(stopped -> CompletableFuture.allOf(ending.toArray(CompletableFuture<?>[]::new)))
                .whenComplete((done, error) -> ended.complete(null)); // a release that has failed is logged
        return ended;
    }
}
