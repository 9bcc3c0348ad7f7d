package dev.couchjobs.bench.jobs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/** Who of a number of jobs was run, how often and in which order: what the handlers of one run tell. */
final class Tally {
    private static final long GIVE_UP_NANOS = Duration.ofSeconds(60).toNanos();

    private final int first;
    private final AtomicIntegerArray runs;
    private final AtomicIntegerArray order;
    private final AtomicInteger places = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger strangers = new AtomicInteger();
    private volatile long firstAt;
    private volatile long lastAt;

    /** For the jobs from number {@code first} on. */
    Tally(int first, int jobs) {
        this.first = first;
        runs = new AtomicIntegerArray(jobs);
        order = new AtomicIntegerArray(jobs);
    }

    /** A handler was called. */
    void run(int number) {
        int index = number - first;
        if (index < 0 || index >= runs.length()) {
            strangers.incrementAndGet();
            return;
        }
        if (runs.getAndIncrement(index) == 0) {
            int place = places.getAndIncrement();
            order.set(place, number);
            if (firstAt == 0) {
                firstAt = System.nanoTime();
            }
            if (place == runs.length() - 1) {
                lastAt = System.nanoTime();
            }
            begun.incrementAndGet(); // last: whoever sees it sees the rest
        }
    }

    /** How many different jobs have begun. */
    int begun() {
        return begun.get();
    }

    /** The numbers of the jobs that were the last to begin. */
    List<Integer> last(int count) {
        int have = begun.get();
        return IntStream.range(Math.max(0, have - count), have)
                .mapToObj(order::get)
                .toList();
    }

    /** When the first job began, in nanoseconds of this JVM. */
    long firstAt() {
        return firstAt;
    }

    /** When the last of all jobs began, in nanoseconds of this JVM. */
    long lastAt() {
        return lastAt;
    }

    /** Waits until so many have begun; false if for a minute none does. */
    boolean await(int jobs) throws InterruptedException {
        int seen = -1;
        long since = System.nanoTime();
        while (begun() < jobs) {
            if (begun() != seen) {
                seen = begun();
                since = System.nanoTime();
            } else if (System.nanoTime() - since > GIVE_UP_NANOS) {
                return false;
            }
            TimeUnit.MICROSECONDS.sleep(500);
        }
        return true;
    }

    /** Waits until the jobs that were the last to begin are durably over; false if that takes more than a minute. */
    boolean awaitEnd(JobSystem system, int jobs) throws InterruptedException {
        List<Integer> last = last(jobs);
        long since = System.nanoTime();
        while (!system.areFinished(last)) {
            if (System.nanoTime() - since > GIVE_UP_NANOS) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return true;
    }

    /** Jobs that were never run. */
    long lost() {
        return (long) runs.length() - begun();
    }

    /** Runs too many. */
    long doubled() {
        long doubled = strangers.get();
        for (int index = 0; index < runs.length(); index++) {
            doubled += Math.max(0, runs.get(index) - 1);
        }
        return doubled;
    }
}
