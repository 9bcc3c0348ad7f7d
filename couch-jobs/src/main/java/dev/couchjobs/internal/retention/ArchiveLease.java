package dev.couchjobs.internal.retention;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The lease of the process that archives the jobs of a type. It prevents duplicate work, not errors: two processes may
 * hold it if their clocks disagree, and archives receive jobs at least once anyway. A lease that ends later than twice
 * its duration from now was taken by a wrong clock, and is ignored.
 */
public final class ArchiveLease {
    private ArchiveLease() {}

    /**
     * {@return how long another process still holds the lease; empty if this process may take it}
     *
     * @param name the name of this process
     * @param duration the duration of a lease
     */
    public static CompletableFuture<Optional<Duration>> heldByOther(
            Transaction tx, TypeKeys keys, String name, long nowMillis, Duration duration) {
        return tx.get(RetentionKeys.of(keys).archiving())
                .thenApply(value -> Quarantine.readable(
                                tx, keys, RetentionKeys.of(keys).archiving(), value, ArchiveLease::decode)
                        .filter(holder -> !holder.name.equals(name))
                        .map(holder -> Duration.ofMillis(holder.until - nowMillis))
                        .filter(remaining -> !remaining.isNegative() && !remaining.isZero())
                        .filter(remaining -> remaining.compareTo(duration.multipliedBy(2)) <= 0));
    }

    private record Holder(String name, long until) {}

    private static Holder decode(byte[] value) {
        Tuple lease = Tuple.fromBytes(value);
        return new Holder(lease.getString(0), lease.getLong(1));
    }

    /** Takes or renews the lease for this process. */
    public static void take(Transaction tx, TypeKeys keys, String name, long nowMillis, Duration duration) {
        tx.set(
                RetentionKeys.of(keys).archiving(),
                Tuple.from(name, nowMillis + duration.toMillis()).pack());
    }
}
