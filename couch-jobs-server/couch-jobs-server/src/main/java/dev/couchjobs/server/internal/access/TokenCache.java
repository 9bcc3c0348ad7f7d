package dev.couchjobs.server.internal.access;

import dev.couchjobs.server.internal.access.TokenTable.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All tokens, as they were at most two seconds ago. So a request costs no transaction, wrong ones included, and a token
 * that another server has revoked is refused after two seconds and the time of a read. One read runs at a time.
 */
final class TokenCache {
    static final Duration OLDEST = Duration.ofSeconds(2);
    /** An id that is not known may be new: then the tokens are read again, but seldom, as it may also be made up. */
    static final Duration OLDEST_WITHOUT_ID = Duration.ofMillis(200);

    private final Function<Optional<Snapshot>, CompletableFuture<Snapshot>> read;
    private final InstantSource clock;
    private @Nullable Known known;
    private @Nullable CompletableFuture<Known> reading;

    /** A snapshot, and when its read began. */
    private record Known(Snapshot snapshot, Instant since) {}

    TokenCache(Function<Optional<Snapshot>, CompletableFuture<Snapshot>> read, InstantSource clock) {
        this.read = read;
        this.clock = clock;
    }

    CompletableFuture<Optional<StoredToken>> find(String id) {
        return noOlderThan(OLDEST).thenCompose(all -> {
            StoredToken token = all.snapshot().byId().get(id);
            return token == null
                    ? noOlderThan(OLDEST_WITHOUT_ID)
                            .thenApply(again ->
                                    Optional.ofNullable(again.snapshot().byId().get(id)))
                    : CompletableFuture.completedFuture(Optional.of(token));
        });
    }

    /** Lets the next request read. */
    synchronized void expire() {
        reading = null;
        known = known == null ? null : new Known(known.snapshot(), Instant.MIN);
    }

    private CompletableFuture<Known> noOlderThan(Duration age) {
        CompletableFuture<Known> next;
        Optional<Snapshot> earlier;
        Instant now = clock.instant();
        synchronized (this) {
            if (known != null && isFresh(known, now, age)) {
                return CompletableFuture.completedFuture(known);
            }
            if (reading != null) {
                return reading;
            }
            next = new CompletableFuture<>();
            reading = next;
            earlier = Optional.ofNullable(known).map(Known::snapshot);
        }
        var unused = begin(earlier).whenComplete((snapshot, error) -> end(next, snapshot, now, error));
        return next;
    }

    /** A read that cannot begin has to end too: others wait for it. */
    private CompletableFuture<Snapshot> begin(Optional<Snapshot> earlier) {
        try {
            return read.apply(earlier);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A clock that was set back makes nothing fresh. */
    private static boolean isFresh(Known known, Instant now, Duration age) {
        return !now.isBefore(known.since()) && known.since().isAfter(now.minus(age));
    }

    private void end(
            CompletableFuture<Known> read, @Nullable Snapshot snapshot, Instant since, @Nullable Throwable error) {
        synchronized (this) {
            if (reading == read) {
                reading = null;
                known = snapshot == null ? known : new Known(snapshot, since);
            }
        }
        if (snapshot == null) {
            read.completeExceptionally(error == null ? new IllegalStateException("A read has no result.") : error);
        } else {
            read.complete(new Known(snapshot, since));
        }
    }
}
