package dev.couchjobs.faults;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import java.util.concurrent.CompletableFuture;

/** Where a suite is played: the engine under test, and the time that passes there. */
public interface Stage extends AutoCloseable {

    /** {@return the engine; the suite keeps to a subspace of its own} */
    Database database();

    /** {@return the clock, timers and randomness that go with it} */
    Environment environment();

    /**
     * Lets time pass until a future is done.
     *
     * @param future something that the engine or the library is at
     * @param <T> the type of its value
     * @return its value
     * @throws java.util.concurrent.CompletionException if it fails
     */
    <T> T await(CompletableFuture<T> future);

    /** {@return at every how many of the later steps of a verb a fault strikes} Less often where time is real. */
    default int laterStepsAtOnce() {
        return 1;
    }

    @Override
    void close();
}
