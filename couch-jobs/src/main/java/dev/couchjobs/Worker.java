package dev.couchjobs;

import dev.couchjobs.internal.worker.BoundHandler;
import dev.couchjobs.internal.worker.WorkerLifecycle;
import java.util.concurrent.CompletableFuture;

/**
 * Runs jobs by their handlers until it is closed, or drained by its name; made by {@link CouchJobs#worker}.
 *
 * <p>While there is nothing to do it only waits to be woken by the database. While jobs run, it renews their leases. A
 * handler whose job was taken away is interrupted, and writes that it still tries through the job are refused.
 */
public final class Worker implements AutoCloseable {
    private final WorkerLifecycle lifecycle;

    Worker(WorkerLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /**
     * Takes up the jobs of a further type, by a handler that returns their result. All types together run as many jobs
     * at once as the worker was made for, and each of the further ones up to as many; their handlers have no time
     * limit.
     *
     * @param type the type
     * @param handler may block; called by several threads at once
     * @param <D> the type of the jobs' data
     * @param <R> the type of their results
     * @throws IllegalArgumentException if the type has a handler already, or another worker of the same CouchJobs runs
     *     its jobs by another retry policy or retention
     * @throws IllegalStateException if the worker is closed
     */
    public <D, R> void handle(JobType<D, R> type, JobHandler<D, R> handler) {
        lifecycle.add(BoundHandler.blocking(type, handler));
    }

    /**
     * Takes up the jobs of a further type that have no result, as {@link #handle} does.
     *
     * @param type the type
     * @param processor may block; called by several threads at once
     * @param <D> the type of the jobs' data
     * @throws IllegalArgumentException if the type has a handler already, or another worker of the same CouchJobs runs
     *     its jobs by another retry policy or retention
     * @throws IllegalStateException if the worker is closed
     */
    public <D> void process(JobType<D, Void> type, JobProcessor<D> processor) {
        lifecycle.add(BoundHandler.processing(type, processor));
    }

    /**
     * Takes up the jobs of a further type, by a handler that does not block, as {@link #handle} does.
     *
     * @param type the type
     * @param handler begins to work on a job; its stage ends the job
     * @param <D> the type of the jobs' data
     * @param <R> the type of their results
     * @throws IllegalArgumentException if the type has a handler already, or another worker of the same CouchJobs runs
     *     its jobs by another retry policy or retention
     * @throws IllegalStateException if the worker is closed
     */
    public <D, R> void handleAsync(JobType<D, R> type, AsyncJobHandler<D, R> handler) {
        lifecycle.add(BoundHandler.async(type, handler));
    }

    /**
     * Changes how many jobs may run at once in this worker, of all types together. If it is raised, jobs that wait
     * begin at once. If it is lowered, running jobs go on, and none begins until fewer run. A type without a limit of
     * its own ({@link #concurrency(JobType, int)}) runs as many. May be called by any thread; in a worker that is
     * closed it changes nothing.
     *
     * @param jobs at least one; {@link Workers#pause} lets none run
     * @throws IllegalArgumentException if it is less
     */
    public void concurrency(int jobs) {
        lifecycle.setConcurrency(WorkerBuilder.atLeastOne(jobs));
    }

    /**
     * Changes how many jobs of one type may run at once in this worker, as {@link #concurrency(int)} does for all.
     *
     * @param type the type
     * @param jobs at least one
     * @throws IllegalArgumentException if it is less
     * @throws IllegalStateException if the worker has no handler for the type
     */
    public void concurrency(JobType<?, ?> type, int jobs) {
        lifecycle.setConcurrency(type.name(), WorkerBuilder.atLeastOne(jobs));
    }

    /** {@return how many jobs may run at once in this worker, of all types together} */
    public int concurrency() {
        return lifecycle.concurrency();
    }

    /** {@return the name by which {@link Workers} steers it} */
    public String name() {
        return lifecycle.name();
    }

    /**
     * The end of the worker, because it was closed, or drained by its name ({@link Workers#drain}). A program may wait
     * for it and then exit.
     *
     * @return completes when the worker has ended; to cancel it changes nothing
     */
    public CompletableFuture<Void> ended() {
        return lifecycle.ended();
    }

    /**
     * How many slots of this worker are stuck at present: those whose handler still runs ten seconds after it was told
     * to stop, because its time limit was up or its claim was lost. The worker runs fewer jobs at once until these
     * handlers return. It logs a warning for each, with the stack of its thread. May be called by any thread.
     *
     * @return the number, at most the worker's concurrency
     */
    public int stuckSlots() {
        return lifecycle.stuckSlots();
    }

    /**
     * Ends the worker. It claims no more jobs and releases at once those that it has not begun. Running handlers, also
     * those that were told to stop, may return within {@link WorkerBuilder#shutdownTimeout}, unless their slots are
     * {@linkplain #stuckSlots stuck}. Then they are interrupted and their jobs released, so that other workers can
     * claim them at once.
     *
     * <p>Waits for all that, but for a database that does not answer no longer than 20 seconds beyond that time; then
     * jobs may be left whose leases have to run out. Called by a handler of this worker it does not wait. May be called
     * again.
     *
     * <p>With the last worker for a type this process ceases to watch over the jobs of the type, and to remove those
     * whose time is up, unless it has called {@code accept} or {@link Maintenance#monitor} for it.
     */
    @Override
    public void close() {
        lifecycle.close();
    }

    /**
     * Ends the worker as {@link #close} does, without waiting.
     *
     * @return when it has ended
     */
    public CompletableFuture<Void> closeAsync() {
        return lifecycle.closeAsync();
    }
}
