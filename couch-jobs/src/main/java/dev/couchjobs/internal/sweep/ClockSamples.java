package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TupleWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Samples of the clocks of processes, with their commits: one row for each of up to sixteen processes. A process
 * overwrites its own row, so a process that samples its clock often does not displace others. If there are more
 * processes than rows, a process without a row takes the oldest one. The rows therefore stay few and need no cleanup.
 */
public final class ClockSamples {
    private static final int ROWS = 16;
    private static final int SAMPLE_BYTES = 32;
    private static final long VERSIONS_PER_MILLI = 1_000;
    private static final long VERSIONS_MAX = Duration.ofMinutes(30).toMillis() * VERSIONS_PER_MILLI;

    private final Keyspace keyspace;
    private final long version;
    /** By row. */
    private final Map<Integer, ClockSample> samples;

    private ClockSamples(Keyspace keyspace, long version, Map<Integer, ClockSample> samples) {
        this.keyspace = keyspace;
        this.version = version;
        this.samples = samples;
    }

    private record ClockSample(long version, long millis, String name) {
        static ClockSample decode(byte[] value) {
            Tuple sample = Tuple.fromBytes(value);
            long version = ByteBuffer.wrap(sample.getVersionstamp(0).getBytes()).getLong();
            return new ClockSample(version, sample.getLong(1), sample.getString(2));
        }
    }

    /** {@return the samples, read without conflicts} */
    public static CompletableFuture<ClockSamples> read(ReadTransaction tx, Keyspace keyspace) {
        return tx.getReadVersion()
                .thenCombine(tx.snapshot().getRange(clocks(keyspace).range()).asList(), (version, rows) -> {
                    Map<Integer, ClockSample> samples = new HashMap<>();
                    // A row that cannot be read is as free as one that is not there: its process takes it again.
                    rows.forEach(row -> Quarantine.readableOrLogged(
                                    row, each -> Map.entry(rowOf(keyspace, each), ClockSample.decode(each.getValue())))
                            .ifPresent(sample -> samples.put(sample.getKey(), sample.getValue())));
                    return new ClockSamples(keyspace, version, samples);
                });
    }

    private boolean isCurrent(ClockSample sample) {
        return sample.version <= version && version - sample.version <= VERSIONS_MAX;
    }

    /**
     * {@return the skew of a clock}
     *
     * @param name the name of the process with that clock
     */
    public ClockSkew skew(String name, long nowMillis, Duration bound) {
        List<Long> ahead = aheadOfAll(name, nowMillis);
        long lower = ahead.get((ahead.size() - 1) / 2);
        long upper = ahead.get(ahead.size() / 2);
        long farther = Math.abs(lower) > Math.abs(upper) ? lower : upper;
        return new ClockSkew(Duration.ofMillis(farther), ahead.size() - 1, bound);
    }

    /**
     * {@return how far a clock is ahead of most others, or zero if that is within a bound} Of two medians the nearer
     * one counts: neither of two clocks outvotes the other.
     *
     * @param name the name of the process with that clock
     */
    public Duration outvotedBy(String name, long nowMillis, Duration bound) {
        List<Long> ahead = aheadOfAll(name, nowMillis);
        long lower = ahead.get((ahead.size() - 1) / 2);
        long upper = ahead.get(ahead.size() / 2);
        Duration nearer = Duration.ofMillis(Math.abs(lower) < Math.abs(upper) ? lower : upper);
        return nearer.abs().compareTo(bound) > 0 ? nearer : Duration.ZERO;
    }

    /** {@return how far a clock is ahead of each current sample of other processes, and of itself, in order} */
    private List<Long> aheadOfAll(String name, long nowMillis) {
        Map<String, ClockSample> latest = new HashMap<>();
        samples.values().stream()
                .filter(sample -> !sample.name.equals(name) && isCurrent(sample))
                .forEach(sample -> latest.merge(
                        sample.name, sample, (first, second) -> first.version > second.version ? first : second));
        List<Long> ahead = new ArrayList<>(List.of(0L));
        latest.values()
                .forEach(sample ->
                        ahead.add(nowMillis - sample.millis - (version - sample.version) / VERSIONS_PER_MILLI));
        ahead.sort(null);
        return ahead;
    }

    /**
     * Stores a sample of the clock of a process; the commit is its time. This object does not include the new sample.
     */
    public void write(Transaction tx, RandomGenerator random, String name, long nowMillis) {
        byte[] key = clocks(keyspace).pack(rowFor(name, random));
        byte[] sample = new TupleWriter(name.length() + SAMPLE_BYTES)
                .addPlaceholder(0)
                .add(nowMillis)
                .add(name)
                .toOperand(0);
        tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, key, sample);
    }

    private int rowFor(String name, RandomGenerator random) {
        List<Integer> free = new ArrayList<>();
        int oldest = 0;
        for (int row = 0; row < ROWS; row++) {
            ClockSample sample = samples.get(row);
            if (sample != null && sample.name.equals(name)) {
                return row;
            }
            if (sample == null || !isCurrent(sample)) {
                free.add(row);
            } else if (sample.version < samples.getOrDefault(oldest, sample).version) {
                oldest = row;
            }
        }
        return free.isEmpty() ? oldest : free.get(random.nextInt(free.size()));
    }

    private static Subspace clocks(Keyspace keyspace) {
        return keyspace.table("clocks");
    }

    private static int rowOf(Keyspace keyspace, KeyValue row) {
        return Math.toIntExact(clocks(keyspace).unpack(row.getKey()).getLong(0));
    }
}
