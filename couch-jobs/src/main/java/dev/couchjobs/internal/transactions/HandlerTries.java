package dev.couchjobs.internal.transactions;

import dev.couchjobs.TransactionTooLongException;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tries of one transaction of a handler. FoundationDB retries a transaction that is too old ({@code 1007}) without
 * end, and a body that takes too long takes too long in each try.
 *
 * <p>The body does not receive the error of a commit. A try therefore counts as too long if its body took longer than
 * {@link #LONG} and is called again. A clock that jumps can miscount one try, but hardly several.
 */
public final class HandlerTries {
    /** The rest of FoundationDB's five seconds is for the commit. */
    private static final Duration LONG = Duration.ofMillis(4_500);

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final InstantSource clock;
    private final String job;
    private final int longMax;

    // A try begins after the previous one has failed.
    private volatile Duration lastTook = Duration.ZERO;
    private volatile Instant startedAt = Instant.EPOCH;
    private volatile int count;
    private volatile int tooLong;

    /**
     * @param job the type and the id of the job
     * @param longMax how many tries may take too long
     */
    public HandlerTries(InstantSource clock, String job, int longMax) {
        this.clock = clock;
        this.job = job;
        this.longMax = longMax;
    }

    /**
     * Begins a try.
     *
     * @throws TransactionTooLongException if {@code longMax} tries have taken too long
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one try at a time
    void begin() {
        if (lastTook.compareTo(LONG) > 0) {
            tooLong++;
            if (tooLong == longMax) {
                throw new TransactionTooLongException(job, longMax, lastTook);
            }
            LOG.warn(
                    "A transaction of job {} took {} ms and did not commit: FoundationDB commits none that began"
                            + " more than"
                            + " 5 s ago. Its body runs again; {} of {} tries have taken too long",
                    job,
                    lastTook.toMillis(),
                    tooLong,
                    longMax);
        } else if (count > 0) {
            LOG.debug("A transaction of job {} did not commit; its body runs again", job);
        }
        count++;
        startedAt = clock.instant();
    }

    /** Ends the body of a try; its commit follows. */
    void end() {
        lastTook = Duration.between(startedAt, clock.instant());
    }
}
