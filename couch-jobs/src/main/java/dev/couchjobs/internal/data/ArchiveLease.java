package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The lease of the process that archives the jobs of a type. It prevents duplicate work, not errors: two processes may
 * hold it if their clocks disagree, and archives receive jobs at least once anyway. A turn that ends later than two
 * turns from now was taken by a clock that is wrong, and does not count.
 */
public final class ArchiveLease {
    private ArchiveLease() {}

    /**
     * {@return how long it is the turn of another process; empty if it may be ours}
     *
     * @param lasts how long a turn is
     */
    public static CompletableFuture<Optional<Duration>> ofOthers(
            Transaction tx, TypeKeys keys, String name, long nowMillis, Duration lasts) {
        return tx.get(keys.archiving())
                .thenApply(value -> Quarantine.readable(tx, keys, keys.archiving(), value, ArchiveLease::decode)
                        .filter(holder -> !holder.name.equals(name))
                        .map(holder -> Duration.ofMillis(holder.until - nowMillis))
                        .filter(left -> !left.isNegative() && !left.isZero())
                        .filter(left -> left.compareTo(lasts.multipliedBy(2)) <= 0));
    }

    private record Holder(String name, long until) {}

    private static Holder decode(byte[] value) {
        Tuple turn = Tuple.fromBytes(value);
        return new Holder(turn.getString(0), turn.getLong(1));
    }

    /** Makes it ours until a time from now. */
    public static void take(Transaction tx, TypeKeys keys, String name, long nowMillis, Duration lasts) {
        tx.set(keys.archiving(), Tuple.from(name, nowMillis + lasts.toMillis()).pack());
    }
}
