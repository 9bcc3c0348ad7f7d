package dev.couchjobs.micrometer;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.Environment;
import dev.couchjobs.PageRequest;
import dev.couchjobs.loop.DurationText;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.topics.GroupInfo;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.Topics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Shows how far the groups of topics are, in a registry. It reads the database periodically, until it is closed:
 *
 * <pre>{@code
 * TopicGauges gauges = TopicGauges.on(registry, database, topics);
 * }</pre>
 *
 * <table>
 *   <caption>Meters</caption>
 *   <tr><th>meter</th><th>tags</th><th>what it measures</th></tr>
 *   <tr><td>{@code couchjobs.topics.lag}</td><td>topic, group</td><td>messages that the group has still to
 *     consume, as {@link GroupInfo#lag} says</td></tr>
 * </table>
 *
 * <p>A group that is deleted has no gauge any more. All instances on the same topics show the same numbers: use this in
 * one or two processes, and take the maximum of them and not the sum. Each poll is one transaction that only reads a
 * few rows of each partition, however many messages there are. After a poll that has failed all gauges are NaN until
 * the next one that has not. Safe for use by several threads.
 */
public final class TopicGauges implements AutoCloseable {
    /** How many topics are looked at. */
    public static final int TOPICS_MAX = 100;

    /** How many groups have gauges. */
    public static final int GROUPS_MAX = 100;

    private static final Duration PERIOD = Duration.ofSeconds(15);

    private final MeterRegistry registry;
    private final Database database;
    private final Topics topics;
    private final Duration period;
    private final Optional<List<Topic<?>>> given;
    private final Environment environment = Environment.system();
    private final Loop loop;
    private final Map<Group, Meter> meters = new HashMap<>();

    private volatile Optional<Map<Group, Long>> last = Optional.empty();
    private boolean isClosed;

    private record Group(String topic, String name) {}

    private TopicGauges(
            MeterRegistry registry,
            Database database,
            Topics topics,
            Duration period,
            Optional<Collection<? extends Topic<?>>> given) {
        if (period.isZero() || period.isNegative()) {
            throw new IllegalArgumentException(
                    "The period must be more than nothing; this is " + DurationText.of(period) + ".");
        }
        this.registry = Objects.requireNonNull(registry, "registry");
        this.database = Objects.requireNonNull(database, "database");
        this.topics = Objects.requireNonNull(topics, "topics");
        this.period = period;
        this.given = given.map(List::copyOf);
        this.loop = new Loop("topic gauges", environment, GuardedExecutor.of(database, environment), this::round);
        this.given.filter(all -> all.size() > TOPICS_MAX).ifPresent(all -> {
            throw new IllegalArgumentException("At most " + TOPICS_MAX + " topics have gauges; these are " + all.size()
                    + ": name those that matter most.");
        });
    }

    /**
     * Starts gauges of the groups of all topics, read every 15 seconds. If there are more than {@value #TOPICS_MAX}
     * topics, only the first ones by name have gauges; if there are more than {@value #GROUPS_MAX} groups, only as
     * many.
     *
     * @param registry the registry
     * @param database the database of the topics
     * @param topics reads them
     * @return the gauges, to be closed before the database
     */
    public static TopicGauges on(MeterRegistry registry, Database database, Topics topics) {
        return on(registry, database, topics, PERIOD);
    }

    /**
     * Starts gauges of the groups of all topics, as {@link #on(MeterRegistry, Database, Topics)} does.
     *
     * @param registry the registry
     * @param database the database of the topics
     * @param topics reads them
     * @param period the time between two polls
     * @return the gauges, to be closed before the database
     * @throws IllegalArgumentException if the period is not more than nothing
     */
    public static TopicGauges on(MeterRegistry registry, Database database, Topics topics, Duration period) {
        return new TopicGauges(registry, database, topics, period, Optional.empty()).start();
    }

    /**
     * Starts gauges of the groups of some topics, of up to {@value #GROUPS_MAX} groups. A topic that is not there has
     * none.
     *
     * @param registry the registry
     * @param database the database of the topics
     * @param topics reads them
     * @param period the time between two polls
     * @param some the topics, at most {@value #TOPICS_MAX}
     * @return the gauges, to be closed before the database
     * @throws IllegalArgumentException if the period is not more than nothing, or there are more topics
     */
    public static TopicGauges on(
            MeterRegistry registry,
            Database database,
            Topics topics,
            Duration period,
            Collection<? extends Topic<?>> some) {
        return new TopicGauges(registry, database, topics, period, Optional.of(some)).start();
    }

    private TopicGauges start() {
        loop.wakeUp();
        return this;
    }

    /** Ends the polls, and removes the gauges from the registry. */
    @Override
    public void close() {
        loop.close();
        environment.close();
        synchronized (meters) {
            isClosed = true;
            meters.values().forEach(registry::remove);
            meters.clear();
        }
    }

    private CompletableFuture<Pause> round() {
        return CompletableFuture.completedFuture(database)
                .thenCompose(opened -> opened.readAsync(this::read)) // within the chain, because this may throw
                .thenApply(lags -> {
                    last = Optional.of(lags);
                    showOnly(lags);
                    return Pause.atMost(period);
                })
                .exceptionally(error -> {
                    last = Optional.empty();
                    throw error instanceof CompletionException wrapped ? wrapped : new CompletionException(error);
                });
    }

    private void showOnly(Map<Group, Long> lags) {
        synchronized (meters) {
            meters.entrySet().removeIf(shown -> {
                boolean isGone = !lags.containsKey(shown.getKey());
                if (isGone) {
                    registry.remove(shown.getValue());
                }
                return isGone;
            });
            if (!isClosed) {
                lags.keySet().stream()
                        .filter(group -> !meters.containsKey(group))
                        .limit(GROUPS_MAX - meters.size())
                        .toList()
                        .forEach(group -> meters.put(group, gauge(group)));
            }
        }
    }

    private Meter gauge(Group group) {
        return Meters.LAG.gauge(registry, Tags.of("topic", group.topic(), "group", group.name()), () -> lag(group));
    }

    private double lag(Group group) {
        return last.map(lags -> lags.get(group)).map(Long::doubleValue).orElse(Double.NaN);
    }

    private CompletableFuture<Map<Group, Long>> read(ReadTransaction tx) {
        return find(tx).thenCompose(found -> all(found, topic -> groups(tx, topic)))
                .thenCompose(groups -> all(
                        groups.stream().flatMap(List::stream).toList(),
                        group -> topics.group(Topic.of(group.topic(), Object.class), group.name())
                                .describe(tx)))
                .thenApply(infos -> {
                    Map<Group, Long> lags = new HashMap<>();
                    infos.forEach(info -> lags.put(new Group(info.topicName(), info.name()), info.lag()));
                    return lags;
                });
    }

    private CompletableFuture<List<String>> find(ReadTransaction tx) {
        return given.map(some -> CompletableFuture.completedFuture(
                        some.stream().map(Topic::name).distinct().toList()))
                .orElseGet(() -> topics.list(tx, PageRequest.of(TOPICS_MAX)).thenApply(page -> page.items()));
    }

    private CompletableFuture<List<Group>> groups(ReadTransaction tx, String topic) {
        return topics.groups(tx, Topic.of(topic, Object.class))
                .thenApply(names ->
                        names.stream().map(name -> new Group(topic, name)).toList())
                .exceptionallyCompose(error -> isMissing(error)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(error));
    }

    private static boolean isMissing(Throwable error) {
        return error instanceof TopicNotFoundException || error.getCause() instanceof TopicNotFoundException;
    }

    private static <T, R> CompletableFuture<List<R>> all(List<T> items, Function<T, CompletableFuture<R>> read) {
        List<CompletableFuture<R>> reads = items.stream().map(read).toList();
        return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> reads.stream().map(CompletableFuture::join).toList());
    }
}
