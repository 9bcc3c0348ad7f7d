package dev.couchjobs.internal.worker;

import java.time.Duration;

/**
 * What a worker does after an event, without its lock.
 *
 * @param <R> the class of the runs
 */
interface WorkerEffects<R extends Run<R>> {
    /** Lets the acceptor of a type ask for the demand. */
    void letClaim(TypeState<R> type);

    /** Gives the executor a task, which runs the jobs that can begin. */
    void startThread();

    /** Tells a handler to stop: interrupts its thread, or cancels its stage. */
    void stop(R run);

    /** The worker holds jobs of a type again, which need heartbeats. */
    void resumeHeartbeats(TypeState<R> type);

    /** The last claim of a worker that claims nothing for now has ended. */
    void lastClaimEnded();

    /** The drained worker holds no job: it closes. */
    void close();

    /** The closing worker holds no job, and waits for no handler. */
    void handlersDone();

    // Timers. After the time, the event of the same name is due.

    void checkStarvationIn(Duration time);

    void checkStuckIn(R run, Duration time);

    void suspectHasRunIn(R run, Duration time);

    void confirmStartsIn(TypeState<R> type, Duration time);
}
