package dev.couchjobs.bench.jobs;

import java.util.List;
import java.util.function.IntConsumer;

/** A job system on a database of its own. Its jobs are known by numbers, each of which is added once. */
interface JobSystem extends AutoCloseable {
    /** Another instance on the database, as another process would have one. */
    Instance join();

    /** Whether jobs that have begun are durably over. */
    boolean areFinished(List<Integer> numbers);

    /** How many jobs wait or run. */
    long unfinished();

    /** Does what the database would do by itself within minutes once it holds many jobs. */
    default void settle() {}

    @Override
    void close();

    /** What one process has: it adds jobs, and runs them once its worker starts. Safe for use by many threads. */
    interface Instance extends AutoCloseable {
        /** Adds a job in a transaction of its own, and returns when that is durable. */
        void add(int number);

        /** Adds jobs with consecutive numbers in one transaction, and returns when that is durable. */
        void addAll(int first, int count);

        /** Runs jobs from now on, also those that were added before: the handler is called with their numbers. */
        void work(IntConsumer handler);

        /** Takes no further jobs, ends those that run, and returns when that is durable. */
        @Override
        void close();
    }
}
