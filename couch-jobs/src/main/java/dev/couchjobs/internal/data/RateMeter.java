package dev.couchjobs.internal.data;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Rate;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * How many jobs of a type or of a limit key may start under its rate: the row {@code rate} or {@code key_rates}, as of
 * one read version. Time is that of the database, a million versions a second, so no clock of a process counts.
 *
 * <p>For windows the row has the number of the window, and how many jobs have started in it. For a bucket it has its
 * level, in tokens times the microseconds of the period, and the version of that level.
 */
public final class RateMeter {
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
     * @param row the row, if there is one
     */
    RateMeter(Rate rate, long version, Optional<Tuple> row) {
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

    /** {@return the meter of a type as of the read version; transactions that use it conflict} */
    public static CompletableFuture<RateMeter> read(ReadTransaction tx, TypeKeys keys, Rate rate) {
        return read(tx, tx, keys, keys.rate(), rate);
    }

    /** {@return the meter of a limit key as of the read version; only those transactions conflict that start jobs} */
    public static CompletableFuture<RateMeter> readOfKey(Transaction tx, TypeKeys keys, String limitKey, Rate rate) {
        return read(tx, tx.snapshot(), keys, keys.keyRate(limitKey), rate);
    }

    private static CompletableFuture<RateMeter> read(
            ReadTransaction tx, ReadTransaction view, TypeKeys keys, byte[] key, Rate rate) {
        return view.get(key)
                .thenCombine(
                        tx.getReadVersion(),
                        (value, version) ->
                                new RateMeter(rate, version, Quarantine.readable(tx, keys, key, value, bytes -> {
                                    Tuple row = Tuple.fromBytes(bytes);
                                    return Tuple.from(row.getLong(0), row.getLong(1));
                                })));
    }

    /** {@return how many jobs may start now} */
    public int available() {
        return (int) Math.max(0, isWindow() ? rate.starts() - amount : amount / periodMicros);
    }

    /** {@return when the next job may start, from the read version on, if none may start now} */
    public Duration untilNext() {
        return Duration.of(microsUntilNext(), ChronoUnit.MICROS);
    }

    private long microsUntilNext() {
        long micros = isWindow()
                ? (at + 1) * periodMicros - version
                : (periodMicros - amount + rate.starts() - 1) / rate.starts();
        return Math.max(1, micros);
    }

    /** {@return the version from which the next job may start, after as many have started as may now} */
    public long versionOfNext() {
        return version + new RateMeter(rate, version, Optional.of(after(available()))).microsUntilNext();
    }

    /** Writes that jobs of the type start. */
    public void start(Transaction tx, TypeKeys keys, int jobs) {
        tx.set(keys.rate(), after(jobs).pack());
    }

    /** Writes that jobs of a limit key start. */
    public void startOfKey(Transaction tx, TypeKeys keys, String limitKey, int jobs) {
        byte[] key = keys.keyRate(limitKey);
        tx.addReadConflictKey(key);
        tx.set(key, after(jobs).pack());
    }

    /** {@return the row after the start of jobs} */
    Tuple after(int jobs) {
        return Tuple.from(at, isWindow() ? amount + jobs : amount - jobs * periodMicros);
    }

    /** Forgets what has started under a former rate of the type. */
    public static void reset(Transaction tx, TypeKeys keys) {
        tx.clear(keys.rate());
    }

    /** Forgets what has started under a former rate of a limit key. */
    static void resetOfKey(Transaction tx, TypeKeys keys, String limitKey) {
        tx.clear(keys.keyRate(limitKey));
    }
}
