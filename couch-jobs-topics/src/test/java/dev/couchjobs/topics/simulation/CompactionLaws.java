package dev.couchjobs.topics.simulation;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.topics.simulation.TopicRows.Stored;
import dev.couchjobs.topics.simulation.TopicRows.Trimmed;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What holds of a compacted topic after every commit: what is removed is superseded, and has been for some time; the
 * last message of each key is there.
 */
final class CompactionLaws {
    private final Simulation simulation;
    private final Duration youngest;
    private final Map<Integer, Set<Versionstamp>> removed = new HashMap<>();
    private Map<Integer, Trimmed> trims = Map.of();

    /** @param youngest what supersedes a message, or deletes itself, has at least this age */
    CompactionLaws(Simulation simulation, Duration youngest) {
        this.simulation = simulation;
        this.youngest = youngest;
    }

    /**
     * Looks at the partitions that were compacted.
     *
     * @param logs all that was ever seen in them, in order
     * @param seenAt since when
     */
    void look(TopicLaws laws, TopicRows rows, List<List<Stored>> logs, List<List<Duration>> seenAt) {
        Map<Integer, Trimmed> now = rows.trims();
        now.forEach((partition, trimmed) -> {
            if (!trimmed.equals(trims.get(partition))) {
                look(laws, rows, partition, logs.get(partition), seenAt.get(partition));
                int gone = removed(partition).size();
                laws.require(
                        gone == trimmed.messages(), () -> "removed " + gone + " and counted " + trimmed.messages());
            }
        });
        trims = now;
    }

    private Set<Versionstamp> removed(int partition) {
        return removed.computeIfAbsent(partition, unused -> new HashSet<>());
    }

    private void look(TopicLaws laws, TopicRows rows, int partition, List<Stored> log, List<Duration> seenAt) {
        List<Stored> kept = rows.messages(partition, null);
        Set<Versionstamp> stamps = kept.stream().map(Stored::stamp).collect(Collectors.toSet());
        Set<Versionstamp> gone = removed(partition);
        Map<String, Integer> next = new HashMap<>();
        for (int i = log.size() - 1; i >= 0; i--) {
            Stored message = log.get(i);
            Integer supersededBy = next.put(String.valueOf(message.key()), i);
            if (stamps.contains(message.stamp())) {
                laws.require(!gone.contains(message.stamp()), () -> message + " was removed, and is there again");
            } else if (gone.add(message.stamp())) {
                Integer cause = message.isDeletion() ? Integer.valueOf(i) : supersededBy;
                laws.require(cause != null, () -> message + " was removed, and is the last one of its key");
                Duration age = simulation.elapsed().minus(seenAt.get(cause == null ? i : cause));
                laws.require(age.compareTo(youngest) >= 0, () -> message + " was removed after " + age);
            }
        }
        Set<Tuple> ofKeys = kept.stream()
                .map(message -> Tuple.from(message.key(), message.stamp()))
                .collect(Collectors.toSet());
        laws.require(
                rows.ofKeys(partition).equals(ofKeys),
                () -> "the rows of keys of " + partition + " are not those of its messages");
    }

    /** {@return how many messages a partition has behind a place} */
    long keptBehind(int partition, List<Stored> log, Versionstamp place) {
        Set<Versionstamp> gone = removed(partition);
        long kept = 0;
        for (int i = log.size() - 1; i >= 0 && log.get(i).stamp().compareTo(place) > 0; i--) {
            kept += gone.contains(log.get(i).stamp()) ? 0 : 1;
        }
        return kept;
    }

    /** {@return the last message of each key that is not deleted} */
    static Map<String, Stored> latest(List<Stored> log) {
        Map<String, Stored> latest = new HashMap<>();
        log.forEach(message -> latest.put(String.valueOf(message.key()), message));
        latest.values().removeIf(Stored::isDeletion);
        return latest;
    }
}
