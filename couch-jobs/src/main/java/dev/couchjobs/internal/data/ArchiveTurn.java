package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Whose turn it is to hand the jobs of a type to their archive, so that several processes do not all hand over the same.
 * It saves work and nothing more: nothing goes wrong if clocks disagree and two think that it is theirs.
 */
public final class ArchiveTurn {
    private ArchiveTurn() {}

    /** {@return how long it is somebody else's turn; empty if it is ours, until a time from now} */
    public static CompletableFuture<Optional<Duration>> take(
            Transaction tx, TypeKeys keys, String name, long nowMillis, Duration lasts) {
        return tx.get(keys.archiving()).thenApply(value -> {
            Optional<Tuple> turn = Optional.ofNullable(value).map(Tuple::fromBytes);
            long left = turn.filter(other -> !other.getString(0).equals(name))
                    .map(other -> other.getLong(1) - nowMillis)
                    .orElse(0L);
            if (left > 0) {
                return Optional.of(Duration.ofMillis(left));
            }
            tx.set(
                    keys.archiving(),
                    Tuple.from(name, nowMillis + lasts.toMillis()).pack());
            return Optional.empty();
        });
    }
}
