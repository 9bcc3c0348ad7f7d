package dev.couchjobs.fdb.internal.watches;

import dev.couchjobs.fdb.internal.common.Completions;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Limits;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Every watch that a caller still waits for, armed or not, and how many there may be. Thread-safe. */
public final class OutstandingWatches {
    /** In the order in which they came: a simulation repeats itself to the last one. */
    private final NavigableMap<Long, Watch> watches = new ConcurrentSkipListMap<>();

    private final AtomicLong added = new AtomicLong();
    private final AtomicInteger count = new AtomicInteger();
    private final Consumer<Watch> whenGivenUp;
    private volatile int limit = Limits.WATCHES;

    /** {@code whenGivenUp} receives each watch that its user, and not the engine, has settled. */
    public OutstandingWatches(Consumer<Watch> whenGivenUp) {
        this.whenGivenUp = whenGivenUp;
    }

    public void limitTo(int max) {
        limit = max;
    }

    public void add(Watch watch) {
        if (count.incrementAndGet() > limit) {
            count.decrementAndGet();
            throw FdbError.TOO_MANY_WATCHES.exception();
        }
        long number = added.incrementAndGet();
        watches.put(number, watch);
        watch.beforeItSettles(() -> remove(number));
        Completions.whenSettled(watch.future(), error -> {
            remove(number);
            if (!watch.isSettled()) {
                whenGivenUp.accept(watch);
            }
        });
    }

    private void remove(long number) {
        if (watches.remove(number) != null) {
            count.decrementAndGet();
        }
    }

    public void failAll(Throwable error) {
        watches.values().forEach(watch -> watch.fail(error));
    }
}
