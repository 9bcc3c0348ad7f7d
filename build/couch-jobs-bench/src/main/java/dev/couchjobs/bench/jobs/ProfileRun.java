package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.profile.Interval;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Adds jobs in hundreds and runs them, in rounds with a new database each, until the phases to profile have taken a
 * given time.
 */
final class ProfileRun {
    private static final int JOBS = 10_000;
    private static final int HUNDRED = 100;

    private final ProfileSettings settings;
    private final BenchmarkEnvironment environment;
    private final ProcessMeter meter = new ProcessMeter();
    private final List<Interval> intervals = new ArrayList<>();
    private ProcessMeter.Reading used = ProcessMeter.Reading.NONE;
    private long nanos;
    private long jobs;

    ProfileRun(ProfileSettings settings, BenchmarkEnvironment environment) {
        this.settings = settings;
        this.environment = environment;
    }

    /** The times of the phases to profile. */
    List<Interval> intervals() {
        return intervals;
    }

    /** What the process has used in these times. */
    ProcessMeter.Reading used() {
        return used;
    }

    /** The number of jobs in the phases to profile. */
    long jobs() {
        return jobs;
    }

    Duration time() {
        return Duration.ofNanos(nanos);
    }

    ProfileRun run() throws InterruptedException {
        while (nanos < settings.length().toNanos()) {
            round();
            jobs += JOBS;
        }
        return this;
    }

    private void round() throws InterruptedException {
        Load load = Load.of(settings.workers());
        try (SystemUnderTest system = kind().open(environment, load)) {
            Phase adding = new Phase(settings.phase().adds());
            try (JobSystem.Instance producer = system.system().join()) {
                for (int added = 0; added < JOBS; added += HUNDRED) {
                    producer.addAll(system.tally().next(HUNDRED), HUNDRED);
                }
                adding.end();
            }
            if (settings.phase().drains()) {
                drain(system);
            }
        }
    }

    private void drain(SystemUnderTest system) throws InterruptedException {
        Phase draining = new Phase(true);
        List<JobSystem.Instance> workers = new ArrayList<>();
        try {
            for (int worker = 0; worker < settings.workers(); worker++) {
                workers.add(system.system().join());
            }
            workers.forEach(worker -> worker.work(system.tally()::run));
            system.awaitFirst(0);
            while (system.system().unfinished() > 0) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            draining.end(); // before the threads of the workers end
        } finally {
            workers.forEach(JobSystem.Instance::close);
        }
    }

    private SystemKind kind() {
        return settings.engine() == EngineKind.MEMORY ? SystemKind.IN_MEMORY : SystemKind.DURABLE;
    }

    /** A part of a round; it counts if it is to be profiled. */
    private final class Phase {
        private final boolean counts;
        private final ProcessMeter.Reading before = meter.read();
        private final Instant begin = Instant.now();
        private final long beginNanos = System.nanoTime();

        Phase(boolean counts) {
            this.counts = counts;
        }

        void end() {
            if (counts) {
                nanos += System.nanoTime() - beginNanos;
                used = used.plus(meter.read().since(before));
                intervals.add(new Interval(begin, Instant.now()));
            }
        }
    }
}
