package dev.couchjobs.fdb.embedded;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Every watch that somebody still waits for, armed or not, and how many there may be. Thread-safe. */
final class OutstandingWatches {
    private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final Consumer<Watch> whenGivenUp;
    private volatile int limit = Limits.WATCHES;

    /** {@code whenGivenUp} is told of each watch that its user, and not the engine, has settled. */
    OutstandingWatches(Consumer<Watch> whenGivenUp) {
        this.whenGivenUp = whenGivenUp;
    }

    void limitTo(int most) {
        limit = most;
    }

    void add(Watch watch) {
        if (count.incrementAndGet() > limit) {
            count.decrementAndGet();
            throw FdbError.TOO_MANY_WATCHES.exception();
        }
        watches.add(watch);
        Completions.whenSettled(watch.future(), error -> {
            watches.remove(watch);
            count.decrementAndGet();
            if (!watch.isSettled()) {
                whenGivenUp.accept(watch);
            }
        });
    }

    void failAll(Throwable error) {
        watches.forEach(watch -> watch.fail(error));
    }
}
