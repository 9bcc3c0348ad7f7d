package dev.couchjobs.internal.limits;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Rate;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a type or of a limit key may start under its rate: the row {@code rate} or {@code key_rates}, as of
 * one read version. Time is that of the database, a million versions a second, so no clock of a process counts.
 *
 * <p>For windows the row has the number of the window, and how many jobs have started in it. For a bucket it has its
 * level, in tokens times the microseconds of the period, and the version of that level.
 */
public final class RateMeter {
    private final byte[] key;
    private final Rate rate;
    private final long version;
    private final long periodMicros;
    /** The number of the window, or the version of the level. */
    private final long at;
    /** How many jobs have started in the window, or the level of the bucket. */
    private final long amount;

    /**
     * A meter as of a version.
     *
     * @param key the key of the row
     * @param row the row, if there is one
     */
    RateMeter(byte[] key, Rate rate, long version, Optional<Tuple> row) {
        this.key = key;
        this.rate = rate;
        this.version = version;
        this.periodMicros = rate.period().toMillis() * 1_000;
        if (isWindow()) {
            at = version / periodMicros;
            amount = row.filter(stored -> stored.getLong(0) == at)
                    .map(stored -> stored.getLong(1))
                    .orElse(0L);
        } else {
            at = version;
            amount = row.map(this::level).orElse(capacity());
        }
    }

    private boolean isWindow() {
        return rate.burst() == 0;
    }

    private long capacity() {
        return rate.burst() * periodMicros;
    }

    /** A version before that of the row is of another database, to which the jobs were moved. */
    private long level(Tuple row) {
        long elapsed = version - row.getLong(0);
        long level = row.getLong(1);
        boolean isFull = elapsed < 0 || elapsed > (capacity() - level) / rate.starts();
        return isFull ? capacity() : level + elapsed * rate.starts();
    }

    /**
     * Reads the meters of a type, one for each part of its rate. Only those transactions conflict that start jobs
     * under the same part.
     *
     * @param parts the parts, if no row counts the starts under the rate as a whole
     */
    public static CompletableFuture<List<RateMeter>> read(
            ReadTransaction tx, TypeKeys keys, Rate rate, List<Rate> parts) {
        return tx.snapshot()
                .getRange(RateKeys.of(keys).rates())
                .asList()
                .thenCombine(tx.getReadVersion(), (rows, version) -> {
                    Map<ByteBuffer, byte[]> values = new HashMap<>();
                    rows.forEach(row -> values.put(ByteBuffer.wrap(row.getKey()), row.getValue()));
                    boolean isWhole = parts.size() == 1
                            || values.containsKey(
                                    ByteBuffer.wrap(RateKeys.of(keys).rate()));
                    if (isWhole) {
                        return List.of(of(tx, keys, RateKeys.of(keys).rate(), values, rate, version));
                    }
                    List<RateMeter> meters = new ArrayList<>();
                    for (int shard = 0; shard < parts.size(); shard++) {
                        meters.add(of(tx, keys, RateKeys.of(keys).rate(shard), values, parts.get(shard), version));
                    }
                    return meters;
                });
    }

    private static RateMeter of(
            ReadTransaction tx, TypeKeys keys, byte[] key, Map<ByteBuffer, byte[]> values, Rate rate, long version) {
        return of(tx, keys, key, values.get(ByteBuffer.wrap(key)), rate, version);
    }

    private static RateMeter of(
            ReadTransaction tx, TypeKeys keys, byte[] key, byte @Nullable [] value, Rate rate, long version) {
        return new RateMeter(key, rate, version, Quarantine.readable(tx, keys, key, value, bytes -> {
            Tuple row = Tuple.fromBytes(bytes);
            return Tuple.from(row.getLong(0), row.getLong(1));
        }));
    }

    /** {@return the meter of a limit key as of the read version; only those transactions conflict that start jobs} */
    static CompletableFuture<RateMeter> readOfKey(ReadTransaction tx, TypeKeys keys, String limitKey, Rate rate) {
        byte[] key = RateKeys.of(keys).keyRate(limitKey);
        return tx.snapshot()
                .get(key)
                .thenCombine(tx.getReadVersion(), (value, version) -> of(tx, keys, key, value, rate, version));
    }

    /** {@return how many jobs may start now} */
    int available() {
        return (int) Math.max(0, isWindow() ? rate.starts() - amount : amount / periodMicros);
    }

    /** {@return how many jobs may start in a window, or at once} */
    int most() {
        return isWindow() ? rate.starts() : rate.burst();
    }

    /** {@return when the next job may start, from the read version on, if none may start now} */
    Duration untilNext() {
        return Duration.of(microsUntilNext(), ChronoUnit.MICROS);
    }

    private long microsUntilNext() {
        long micros = isWindow()
                ? (at + 1) * periodMicros - version
                : (periodMicros - amount + rate.starts() - 1) / rate.starts();
        return Math.max(1, micros);
    }

    /** {@return the version from which the next job may start, after as many have started as may now} */
    long versionOfNext() {
        return version + new RateMeter(key, rate, version, Optional.of(after(available()))).microsUntilNext();
    }

    /** Writes that jobs start. */
    void start(Transaction tx, int jobs) {
        tx.addReadConflictKey(key);
        tx.set(key, after(jobs).pack());
    }

    /** {@return the row after the start of jobs} */
    Tuple after(int jobs) {
        return Tuple.from(at, isWindow() ? amount + jobs : amount - jobs * periodMicros);
    }

    /** Forgets what has started under a former rate of the type. */
    public static void reset(Transaction tx, TypeKeys keys) {
        tx.clear(RateKeys.of(keys).rates());
    }

    /** Forgets what has started under a former rate of a limit key. */
    static void resetOfKey(Transaction tx, TypeKeys keys, String limitKey) {
        tx.clear(RateKeys.of(keys).keyRate(limitKey));
    }
}
