package dev.couchjobs.bench.jobs;

import java.time.Duration;

/** Measures figures at one point of a chart. */
interface Experiment {
    /** The load for which the systems are created. */
    Load load();

    /** Measures a system, which may have been measured before, for about the length of the window. */
    Sample measure(SystemUnderTest system, Duration window) throws InterruptedException;
}
