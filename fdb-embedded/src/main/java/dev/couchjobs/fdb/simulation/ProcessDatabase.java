package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The store as one process sees it. */
final class ProcessDatabase extends FaultyDatabase {
    private final Executor executor;

    ProcessDatabase(Database store, FaultPlan plan, Executor executor) {
        super(store, plan);
        this.executor = executor;
    }

    @Override
    public Executor getExecutor() {
        return executor;
    }

    @Override
    public <T> T run(Function<? super Transaction, T> retryable, Executor e) {
        throw blocking();
    }

    @Override
    public <T> T read(Function<? super ReadTransaction, T> retryable, Executor e) {
        throw blocking();
    }

    /** The store is not the process's to close. */
    @Override
    public void close() {}

    private static UnsupportedOperationException blocking() {
        return new UnsupportedOperationException(
                "A simulation has one thread, and if that blocks nothing happens any more:"
                        + " use runAsync and readAsync, and Simulation.await from outside");
    }
}
