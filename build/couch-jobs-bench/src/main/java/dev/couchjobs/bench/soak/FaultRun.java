package dev.couchjobs.bench.soak;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Does what is planned to go wrong, one after the other. */
final class FaultRun implements Callable<Void> {
    private static final double FULL_SECONDS_MAX = 60;
    private static final double FULL_PART = 0.1;
    private static final Duration RESUMPTION = Duration.ofSeconds(20);
    private static final int MILLIS_APART = 200;
    /** Within two minutes a process corrects times by its peers: what ends before is kept that much longer. */
    private static final int AHEAD_MAX_SECONDS = 600;

    private static final int AHEAD_MIN_SECONDS = 90;
    private static final int BEHIND_MAX_SECONDS = 3 * 24 * 3_600;

    private final SoakPlace place;
    private final SoakFleet fleet;
    private final double seconds;
    private final Random random;
    private final List<Fault.Planned> plan;
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final long began = System.nanoTime();
    private boolean isClockMoved;

    /**
     * What went wrong.
     *
     * @param minute when, from the beginning of the load
     * @param fault what
     * @param text details
     */
    record Event(double minute, Fault fault, String text) {}

    FaultRun(SoakPlace place, SoakFleet fleet, double seconds, long seed) {
        this.place = place;
        this.fleet = fleet;
        this.seconds = seconds;
        random = new Random(seed);
        plan = Fault.plan(place.faults(), place.servers(), seconds, random);
    }

    List<Event> events() {
        return List.copyOf(events);
    }

    double elapsed() {
        return (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    @Override
    public Void call() throws IOException, InterruptedException {
        for (Fault.Planned planned : plan) {
            double wait = planned.second() - elapsed();
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep((long) (wait * TimeUnit.SECONDS.toNanos(1)));
            }
            run(planned.fault());
        }
        if (isClockMoved) {
            moveClock(fleet.servers().get(0), 0);
        }
        return null;
    }

    private void run(Fault fault) throws IOException, InterruptedException {
        switch (fault) {
            case WORKER -> restart(fault, fleet.workers(), 0);
            case SERVER -> restart(fault, fleet.servers(), firstKilledServer());
            case CLUSTER -> {
                SoakCluster cluster = place.cluster().orElseThrow();
                int number = random.nextInt(cluster.size());
                note(fault, "process " + number);
                cluster.restart(number);
            }
            case CLOCK -> {
                int moved = random.nextBoolean() ? ahead() : -random.nextInt(BEHIND_MAX_SECONDS);
                moveClock(fleet.servers().get(0), isClockMoved ? 0 : moved);
            }
            case DISK -> fill();
        }
    }

    private int ahead() {
        int most = Math.max(AHEAD_MIN_SECONDS, Math.min(AHEAD_MAX_SECONDS, (int) (seconds / 36)));
        return AHEAD_MIN_SECONDS + random.nextInt(most - AHEAD_MIN_SECONDS + 1);
    }

    private void restart(Fault fault, List<SoakProcess> processes, int first) throws IOException {
        int number = first + random.nextInt(processes.size() - first);
        note(fault, "process " + number);
        processes.get(number).restart();
        isClockMoved &= fault != Fault.SERVER || number > 0;
    }

    /** Of several servers the first one is never killed, and so has the time to show what it leaks. */
    private int firstKilledServer() {
        return fleet.servers().size() > 1 ? 1 : 0;
    }

    private void moveClock(SoakProcess server, int ahead) {
        try {
            var unused = server.ask(SoakServer.CLOCK + " " + ahead);
            isClockMoved = ahead != 0;
            note(Fault.CLOCK, isClockMoved ? ahead + " s ahead" : "set right");
        } catch (IOException e) {
            isClockMoved = false; // the server is gone, and its clock with it
        }
    }

    private void fill() throws IOException, InterruptedException {
        double time = Math.min(FULL_SECONDS_MAX, seconds * FULL_PART);
        note(Fault.DISK, "for %.0f s".formatted(time));
        place.disk().orElseThrow().fill(time);
        if (!hasResumed()) {
            note(Fault.DISK, "servers opened again: nothing was committed within " + RESUMPTION.toSeconds() + " s");
            for (SoakProcess server : fleet.servers()) {
                server.restart();
            }
            isClockMoved = false;
        }
    }

    /** {@return whether jobs end again; after a failed write a directory has to be opened again} */
    private boolean hasResumed() throws InterruptedException {
        long before = fleet.check().frontier();
        long end = System.nanoTime() + RESUMPTION.toNanos();
        while (fleet.check().frontier() == before && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(MILLIS_APART);
        }
        return fleet.check().frontier() > before;
    }

    private void note(Fault fault, String text) {
        double minute = elapsed() / TimeUnit.MINUTES.toSeconds(1);
        events.add(new Event(minute, fault, text));
        System.err.printf("%.2f min: %s, %s%n", minute, fault.label(), text);
    }
}
