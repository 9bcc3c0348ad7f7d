package dev.couchjobs.bridge.internal.couch;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Starts a feed again after faults, with growing pauses, and logs each cause once. Thread-safe. */
final class FeedRestart {
    private final CouchSettings settings;
    private final Backoff backoff;
    private final Runnable begin;
    private final ThrottledWarnings faults;
    /** Warnings about a failing listener, which an answer of the server does not settle. */
    private final ThrottledWarnings undelivered;

    private @Nullable Future<?> pause;
    private boolean isClosed;

    /** @param begin starts the feed */
    FeedRestart(CouchSettings settings, Address address, Backoff backoff, Runnable begin) {
        this.settings = settings;
        this.backoff = backoff;
        this.begin = begin;
        this.faults = new ThrottledWarnings(address);
        this.undelivered = new ThrottledWarnings(address);
    }

    /** Starts the feed again after a fault of the database or the connection. */
    void afterFault(RuntimeException thrown) {
        faults.make(thrown, backoff);
        later(
                thrown instanceof TransientException fault
                        ? fault
                        : TransientException.slow(String.valueOf(thrown.getMessage())));
    }

    /** Starts the feed again after an error of this process. */
    void afterError(Throwable thrown) {
        faults.make("the feed cannot begin, and begins again later", thrown);
        later(new TransientException("The feed cannot begin"));
    }

    /** Starts the feed again after a failure of its listener. */
    void afterUndelivered(Throwable thrown) {
        undelivered.make("changes could not be processed, and are read again", thrown);
        later(new TransientException("The listener failed"));
    }

    /** Starts the feed again after a source that has brought nothing new. */
    void afterUselessSource() {
        later(new TransientException("The feed ended at once"));
    }

    private synchronized void later(TransientException fault) {
        if (!isClosed) {
            pause = settings.environment()
                    .scheduler()
                    .schedule(
                            () -> settings.executor().execute(begin),
                            backoff.after(fault).toNanos(),
                            TimeUnit.NANOSECONDS);
        }
    }

    /** The server has sent a row or a heartbeat. */
    void alive() {
        faults.settle();
    }

    /** A source was useful; the next pause is short. */
    void useful() {
        backoff.reset();
    }

    /** The listener has processed a batch. */
    void delivered() {
        faults.settle();
        undelivered.settle();
    }

    synchronized void close() {
        isClosed = true;
        if (pause != null) {
            pause.cancel(false);
        }
    }
}
