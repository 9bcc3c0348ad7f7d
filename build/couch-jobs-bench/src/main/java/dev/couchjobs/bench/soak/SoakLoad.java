package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.server.HttpConnection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Adds jobs over HTTP, numbered from 0, in a thread of its own: as many as can be run, at a rate, or none. */
final class SoakLoad implements AutoCloseable {
    private static final int ADDED_AT_ONCE = 100;
    private static final int OPEN_MAX = 2_000;
    private static final int MILLIS_APART = 5;
    private static final double MILLIS = 1_000;
    private static final Pace NONE = new Pace(0, 0, 0);

    private final SoakClient client;
    private final Thread thread = new Thread(this::run, "soak-load");
    private volatile Pace pace = NONE;
    private final AtomicLong added = new AtomicLong();
    private final ReentrantLock adding = new ReentrantLock();

    /** A number of jobs, and from a time on more at a rate. */
    private record Pace(long base, long since, double perSecond) {
        long target(long now) {
            return base + (long) ((now - since) * perSecond / MILLIS);
        }

        long due(long number, long now) {
            return perSecond == 0 ? now : since + (long) ((number + 1 - base) * MILLIS / perSecond);
        }
    }

    SoakLoad(List<Integer> ports) {
        client = new SoakClient(ports, 0);
        thread.setDaemon(true);
        thread.start();
    }

    long added() {
        return added.get();
    }

    /** Adds jobs until some thousands have not ended. */
    void saturate(long ended) {
        pace = new Pace(ended + OPEN_MAX, 0, 0);
    }

    /** Adds jobs at a rate from now on, those that came late in an outage at once. */
    void hold(double perSecond) {
        pace = new Pace(added.get(), System.currentTimeMillis(), perSecond);
    }

    /** Adds no more; returns when those that are being added are there. */
    void stop() {
        pace = NONE;
        adding.lock(); // after the addition that is under way; no other begins
        try {
            pace = NONE;
        } finally {
            adding.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                if (!add(System.currentTimeMillis())) {
                    TimeUnit.MILLISECONDS.sleep(MILLIS_APART);
                }
            }
        } catch (InterruptedException e) {
            client.close();
        }
    }

    /** {@return whether jobs were due to be added} */
    private boolean add(long now) throws InterruptedException {
        adding.lock();
        try {
            Pace current = pace;
            int count = (int) Math.min(ADDED_AT_ONCE, current.target(now) - added.get());
            if (count > 0) {
                var unused = client.send(request(current, count, now));
                added.addAndGet(count);
            }
            return count > 0;
        } finally {
            adding.unlock();
        }
    }

    private byte[] request(Pace current, int count, long now) {
        StringBuilder jobs = new StringBuilder();
        long first = added.get();
        for (long number = first; number < first + count; number++) {
            jobs.append(jobs.isEmpty() ? "" : ",").append(SoakJobs.workJson(number, current.due(number, now)));
        }
        return HttpConnection.post("/v1/jobs", "{\"jobs\":[" + jobs + "]}");
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
