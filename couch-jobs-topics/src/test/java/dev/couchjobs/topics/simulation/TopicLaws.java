package dev.couchjobs.topics.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.topics.simulation.TopicRows.Held;
import dev.couchjobs.topics.simulation.TopicRows.Stored;
import dev.couchjobs.topics.simulation.TopicRows.Trimmed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What holds of a topic after every commit. */
final class TopicLaws {
    private final Simulation simulation;
    private final int partitions;
    private final Duration youngestRemoved;
    private final @Nullable CompactionLaws compaction;

    /** All that was ever seen in each partition, in order, and since when. */
    private final List<List<Stored>> logs = new ArrayList<>();

    private final List<List<Duration>> seenAt = new ArrayList<>();
    private final Set<String> values = new HashSet<>();
    private final Map<Tuple, Integer> lastOfProducer = new HashMap<>();
    private final Map<Tuple, Integer> consumed = new HashMap<>();
    private final Set<String> stopped = new HashSet<>();

    private final TopicRows.Memory memory = new TopicRows.Memory();

    private Map<Tuple, Held> claims = Map.of();
    private Map<Tuple, Tuple> committers = Map.of();
    private Map<String, Integer> seeks = Map.of();
    private Set<Tuple> members = Set.of();
    private Map<Integer, Trimmed> trims = Map.of();
    private long seenVersion = -1;
    private Set<String> promptGroups = Set.of();
    private @Nullable Duration promptFrom;
    private Duration slowest = Duration.ZERO;
    private @Nullable AssertionError broken;

    /** @param youngestRemoved no younger message is removed */
    TopicLaws(Simulation simulation, int partitions, Duration youngestRemoved) {
        this(simulation, partitions, youngestRemoved, null);
    }

    /** The laws of a compacted topic. */
    TopicLaws(Simulation simulation, int partitions, CompactionLaws compaction) {
        this(simulation, partitions, Duration.ZERO, compaction);
    }

    private TopicLaws(
            Simulation simulation, int partitions, Duration youngestRemoved, @Nullable CompactionLaws compaction) {
        this.compaction = compaction;
        this.simulation = simulation;
        this.partitions = partitions;
        this.youngestRemoved = youngestRemoved;
        for (int partition = 0; partition < partitions; partition++) {
            logs.add(new ArrayList<>());
            seenAt.add(new ArrayList<>());
        }
        simulation.onCommit(this::look);
    }

    private void look(Database store) {
        try (Transaction tx = store.createTransaction()) {
            long version = tx.getReadVersion().join();
            TopicRows rows = version == seenVersion || broken != null ? null : TopicRows.of(tx, memory);
            seenVersion = version;
            if (rows != null) {
                look(rows);
            }
        } catch (AssertionError e) {
            simulation.log("A law is broken: " + e.getMessage());
            broken = e;
        }
    }

    private void look(TopicRows rows) {
        Map<Integer, Long> tails = rows.tails();
        boolean[] grown = new boolean[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            grown[partition] = lookAtLog(rows, partition, tails.getOrDefault(partition, 0L));
        }
        if (compaction == null) {
            lookAtTrims(rows.trims());
        } else {
            compaction.look(this, rows, logs, seenAt);
        }
        Map<Tuple, Held> claimsNow = rows.claims();
        Map<Tuple, Tuple> committersNow = rows.committers();
        Map<String, Integer> seeksNow = rows.seeks();
        claimsNow.forEach((key, now) -> {
            String group = key.getString(0);
            boolean wasSought = !Objects.equals(seeks.get(group), seeksNow.get(group));
            Tuple committer = committersNow.get(key);
            boolean isNews = !Objects.equals(now, claims.get(key));
            if (isNews) {
                lookAtClaim(key, now, wasSought);
            }
            lookAtHolder(key, now);
            if (committer != null && !committer.equals(committers.get(key))) {
                lookAtEffects(key, claims.get(key), now, committer);
            }
            if (isNews || grown[(int) key.getLong(1)]) {
                lookAtPromptness(key, now);
            }
        });
        claims = claimsNow;
        committers = committersNow;
        seeks = seeksNow;
        members = rows.members();
    }

    /**
     * Each message is there once, those of a producer are in its order, and the tail counts them.
     *
     * @return whether there are more than before
     */
    private boolean lookAtLog(TopicRows rows, int partition, long tail) {
        List<Stored> log = logs.get(partition);
        int before = log.size();
        for (Stored news : rows.messages(
                partition, log.isEmpty() ? null : log.get(log.size() - 1).stamp())) {
            log.add(news);
            seenAt.get(partition).add(simulation.elapsed());
            require(values.add(news.value()), () -> news.value() + " was appended twice");
            String[] parts = news.value().split("-", -1);
            int number = Integer.parseInt(parts[1]);
            Integer last = lastOfProducer.put(Tuple.from(partition, parts[0]), number);
            require(last == null || last < number, () -> news.value() + " comes after number " + last);
        }
        require(tail == log.size(), () -> "the tail of " + partition + " counts " + tail + " of " + log.size());
        return log.size() > before;
    }

    private void lookAtTrims(Map<Integer, Trimmed> now) {
        now.forEach((partition, trimmed) -> {
            Trimmed before = trims.get(partition);
            if (trimmed.equals(before)) {
                return;
            }
            long number = numberAt(partition, trimmed.stamp());
            require(number == trimmed.messages(), () -> "removed " + number + " and counted " + trimmed.messages());
            for (int i = before == null ? 0 : (int) before.messages(); i < number; i++) {
                Duration age = simulation.elapsed().minus(seenAt.get(partition).get(i));
                require(age.compareTo(youngestRemoved) >= 0, () -> "removed a message at the age of " + age);
            }
        });
        trims = now;
    }

    /** {@return how many messages were appended to a partition up to a place} */
    private long numberAt(int partition, Versionstamp stamp) {
        List<Stored> log = logs.get(partition);
        int low = 0;
        int high = log.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (log.get(middle).stamp().compareTo(stamp) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** What compaction has removed may count as before a place: a lag of 0 still means that nothing is left. */
    private long numberMax(int partition, Versionstamp place) {
        List<Stored> log = logs.get(partition);
        return compaction == null
                ? numberAt(partition, place)
                : log.size() - compaction.keptBehind(partition, log, place);
    }

    /**
     * Places go ahead unless the group was moved, epochs always, and no number is too great. What holds of a row holds
     * until the row changes: the number it may have does not become less.
     */
    private void lookAtClaim(Tuple key, Held now, boolean wasSought) {
        Held before = claims.get(key);
        long number = numberMax((int) key.getLong(1), now.stamp());
        require(now.number() <= number, () -> key + " is at number " + now.number() + ", and truly at " + number);
        if (before != null) {
            require(now.epoch() >= before.epoch(), () -> key + " goes back to epoch " + now.epoch());
            require(
                    wasSought || now.stamp().compareTo(before.stamp()) >= 0,
                    () -> key + " goes back from " + before.stamp() + " to " + now.stamp());
        }
    }

    private void lookAtHolder(Tuple key, Held now) {
        String holder = now.holder();
        require(holder == null || !stopped.contains(holder), () -> key + " is held by a stopped " + holder);
    }

    /** Effects commit with the offset, by the holder. */
    private void lookAtEffects(Tuple key, @Nullable Held before, Held now, Tuple committer) {
        String name = committer.getString(0);
        require(
                isBy(name, now) || before == null || isBy(name, before),
                () -> name + " has committed in " + key + ", which is held by " + now.holder());
        require(
                before == null || !now.stamp().equals(before.stamp()),
                () -> name + " has committed in " + key + " without the offset");
    }

    private static boolean isBy(String name, Held row) {
        String holder = row.holder();
        return holder == null ? name.equals(Actors.NO_MEMBER) : holder.startsWith(name + "-");
    }

    private void lookAtPromptness(Tuple key, Held now) {
        int partition = (int) key.getLong(1);
        int number = (int) numberAt(partition, now.stamp());
        for (int i = consumed.getOrDefault(key, 0); i < number; i++) {
            Duration since = seenAt.get(partition).get(i);
            if (promptFrom != null && promptGroups.contains(key.getString(0)) && since.compareTo(promptFrom) >= 0) {
                Duration latency = simulation.elapsed().minus(since);
                slowest = slowest.compareTo(latency) > 0 ? slowest : latency;
            }
        }
        consumed.merge(key, number, Math::max);
    }

    /** From now on the law measures how long a message waits for a consumer of these groups. */
    void measurePromptness(Set<String> groups) {
        promptGroups = Set.copyOf(groups);
        promptFrom = simulation.elapsed();
    }

    /** {@return the longest time that a message has waited since the law measures} */
    Duration slowest() {
        return slowest;
    }

    /** No partition has this member as its holder from now on. */
    void stopped(String member) {
        stopped.add(member);
    }

    /** {@return all messages that were ever seen, by values} */
    Map<String, Versionstamp> messages() {
        Map<String, Versionstamp> all = new HashMap<>();
        logs.forEach(log -> log.forEach(message -> all.put(message.value(), message.stamp())));
        return all;
    }

    /** {@return the partitions of the groups after the last commit, by tuples of group and partition} */
    Map<Tuple, Held> claims() {
        return claims;
    }

    /** {@return the members of a group after the last commit} */
    Set<String> members(String group) {
        return members.stream()
                .filter(member -> member.getString(0).equals(group))
                .map(member -> member.getString(1))
                .collect(Collectors.toSet());
    }

    /** {@return all that was ever seen in each partition, in order} */
    List<List<Stored>> logs() {
        return logs;
    }

    /** {@return how many messages were ever seen in a partition} */
    int count(int partition) {
        return logs.get(partition).size();
    }

    /** {@return how many messages retention has removed from a partition} */
    long removed(int partition) {
        Trimmed trimmed = trims.get(partition);
        return trimmed == null ? 0 : trimmed.messages();
    }

    /** Fails the simulation, wherever it is found out. */
    void require(boolean held, Supplier<String> otherwise) {
        if (!held) {
            AssertionError error = new AssertionError(otherwise.get() + " after " + simulation.elapsed());
            broken = broken == null ? error : broken;
            throw error;
        }
    }

    void check() {
        if (broken != null) {
            throw broken;
        }
    }
}
