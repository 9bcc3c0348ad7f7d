package dev.couchjobs.bench.jobs;

import java.time.Duration;

/** A way to measure something at one point of a curve. */
interface Experiment {
    /** What the systems have to be made for. */
    Load load();

    /** Does it for about as long as that, on a system that may have been measured before. */
    Sample measure(SystemUnderTest system, Duration window) throws InterruptedException;
}
