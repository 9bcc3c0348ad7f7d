package dev.couchjobs.bench.topics;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Appends to a log, with a constant number of commits in flight. */
final class AppendRate {
    private static final int SEED = 7;
    private static final long TIMEOUT_MINUTES = 2;
    private static final double WARM_UP = 1 / 3.0;

    private final MessageLog log;
    private final int inFlight;
    private final List<byte[]> messages;
    private final Semaphore free;
    private final AtomicLong committed = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    AppendRate(MessageLog log, TopicBenchSettings.Point point) {
        this.log = log;
        inFlight = point.inFlight();
        free = new Semaphore(inFlight);
        messages = new ArrayList<>();
        Random random = new Random(SEED);
        for (int i = 0; i < point.batch(); i++) {
            byte[] message = new byte[point.bytes()];
            random.nextBytes(message);
            messages.add(message);
        }
    }

    /** Appends for some time. {@return the messages acknowledged in a second, after the warm-up} */
    double measure(double seconds) throws Exception {
        appendFor(seconds * WARM_UP);
        long before = committed.get();
        long began = System.nanoTime();
        appendFor(seconds);
        double rate = (committed.get() - before) / secondsSince(began);
        awaitAll();
        return rate * messages.size();
    }

    /** Appends that many messages, and waits until all are acknowledged. */
    void append(int count) throws InterruptedException {
        for (int appended = 0; appended < count; appended += messages.size()) {
            appendOne();
        }
        awaitAll();
    }

    /** At least until messages are acknowledged: else a short time has no rate where the machine is slow. */
    private void appendFor(double seconds) throws Exception {
        long before = committed.get();
        long began = System.nanoTime();
        while (secondsSince(began) < seconds || committed.get() == before) {
            if (inFlight == 1) {
                log.appendAndWait(messages);
                committed.incrementAndGet();
            } else {
                appendOne();
            }
        }
    }

    private void appendOne() throws InterruptedException {
        acquire(1);
        var unused = log.append(messages).whenComplete((done, error) -> {
            if (error == null) {
                committed.incrementAndGet();
            } else {
                failure.set(error);
            }
            free.release();
        });
    }

    private void awaitAll() throws InterruptedException {
        acquire(inFlight);
        free.release(inFlight);
    }

    private void acquire(int permits) throws InterruptedException {
        if (!free.tryAcquire(permits, TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException("An append is not acknowledged");
        }
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
    }

    static double secondsSince(long began) {
        return (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
