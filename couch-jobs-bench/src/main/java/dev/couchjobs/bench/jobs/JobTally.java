package dev.couchjobs.bench.jobs;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** All jobs that a system was ever given, by their numbers, and which were run. Thread-safe. */
final class JobTally {
    /** More than ever run at once, so that those that have just begun are known. */
    static final int RECENT = 4_096;

    private final BitSet run = new BitSet();
    private final int[] recent = new int[RECENT];
    private int added;
    private int begun;
    private long doubled;
    private long firstAt;

    /** The first of so many numbers that no job has had. */
    synchronized int next(int count) {
        added += count;
        return added - count;
    }

    /** A handler was called. */
    synchronized void run(int number) {
        if (number < 0 || number >= added || run.get(number)) {
            doubled++;
            return;
        }
        run.set(number);
        recent[begun++ % RECENT] = number;
        if (firstAt == 0) {
            firstAt = System.nanoTime();
        }
        notifyAll();
    }

    /** Begins a round: the next job to begin is its first. Returns how many have begun before. */
    synchronized int beginRound() {
        firstAt = 0;
        return begun;
    }

    /** When the first job of the round began, in nanoseconds of this JVM. */
    synchronized long firstAt() {
        return firstAt;
    }

    /** How many different jobs were given. */
    synchronized int added() {
        return added;
    }

    /** How many different jobs have begun. */
    synchronized int begun() {
        return begun;
    }

    /** Runs too many. */
    synchronized long doubled() {
        return doubled;
    }

    /** The numbers of the jobs that were the last to begin, at most {@value #RECENT}. */
    synchronized List<Integer> last(int count) {
        List<Integer> last = new ArrayList<>();
        for (int place = Math.max(0, begun - Math.min(count, RECENT)); place < begun; place++) {
            last.add(recent[place % RECENT]);
        }
        return last;
    }

    /** Waits until so many have begun; false if the time is up before. */
    synchronized boolean await(int count, long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        while (begun < count) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }
}
