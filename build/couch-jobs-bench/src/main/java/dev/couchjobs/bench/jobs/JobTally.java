package dev.couchjobs.bench.jobs;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Counts the jobs that were added to a system, and records which have run. Thread-safe. */
final class JobTally {
    /** The number of recent jobs to record; more than run at the same time. */
    static final int RECENT = 4_096;

    private final BitSet run = new BitSet();
    private final int[] recent = new int[RECENT];
    private int added;
    private int begun;
    private long doubled;
    private long firstAt;

    /** Reserves {@code count} numbers, and returns the first. */
    synchronized int next(int count) {
        added += count;
        return added - count;
    }

    /** Records that a handler was called. */
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

    /** Begins a round, and returns how many jobs have begun before it. */
    synchronized int beginRound() {
        firstAt = 0;
        return begun;
    }

    /** The {@link System#nanoTime} at which the first job of the round began. */
    synchronized long firstAt() {
        return firstAt;
    }

    /** The number of jobs added. */
    synchronized int added() {
        return added;
    }

    /** The number of jobs begun. */
    synchronized int begun() {
        return begun;
    }

    /** The number of repeated runs. */
    synchronized long doubled() {
        return doubled;
    }

    /** The numbers of the last {@code count} jobs that began, at most {@value #RECENT}. */
    synchronized List<Integer> last(int count) {
        List<Integer> last = new ArrayList<>();
        for (int index = Math.max(0, begun - Math.min(count, RECENT)); index < begun; index++) {
            last.add(recent[index % RECENT]);
        }
        return last;
    }

    /** Waits until {@code count} jobs have begun; returns false after a timeout. */
    synchronized boolean await(int count, long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        while (begun < count) {
            long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (millis <= 0) {
                return false;
            }
            wait(millis);
        }
        return true;
    }
}
