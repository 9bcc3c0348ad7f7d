package dev.couchjobs.bench.jobs;

import java.util.List;
import java.util.function.IntConsumer;

/** A job system on a database of its own. Numbers identify its jobs; each number is added once. */
interface JobSystem extends AutoCloseable {
    /** Creates another instance on the database, like another process. */
    Instance join();

    /** Whether all of these jobs, which have begun, have ended durably. */
    boolean areFinished(List<Integer> numbers);

    /** The number of pending and running jobs. */
    long unfinished();

    /** Runs the maintenance that the database would run by itself within minutes of a large load. */
    default void settle() {}

    @Override
    void close();

    /** An instance of a job system: adds jobs, and runs them once its worker has started. Thread-safe. */
    interface Instance extends AutoCloseable {
        /** Adds a job in a transaction of its own, and returns when it is durable. */
        void add(int number);

        /** Adds jobs with consecutive numbers in one transaction, and returns when they are durable. */
        void addAll(int first, int count);

        /** Starts a worker, which calls the handler with the numbers of the jobs, also of those added before. */
        void work(IntConsumer handler);

        /** Claims no more jobs, waits for those that run, and returns when their ends are durable. */
        @Override
        void close();
    }
}
