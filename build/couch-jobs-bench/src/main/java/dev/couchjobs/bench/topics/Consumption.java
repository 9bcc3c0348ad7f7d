package dev.couchjobs.bench.topics;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the messages that consumers get. A message may come again; none may be missing. */
final class Consumption {
    private static final long TIMEOUT_MINUTES = 5;

    private final int expected;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong first = new AtomicLong();
    private final AtomicLong last = new AtomicLong();
    private final CountDownLatch done = new CountDownLatch(1);

    Consumption(int expected) {
        this.expected = expected;
    }

    void accept(byte[] message) {
        int number = count.incrementAndGet();
        if (number == 1) {
            first.set(System.nanoTime());
        } else if (number == expected) {
            last.set(System.nanoTime());
            done.countDown();
        }
    }

    /** Waits for all messages. {@return how many came in a second, from the first to the last} */
    double await() throws InterruptedException {
        if (!done.await(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException("Of " + expected + " messages " + count + " came");
        }
        return expected / ((last.get() - first.get()) / (double) TimeUnit.SECONDS.toNanos(1));
    }
}
