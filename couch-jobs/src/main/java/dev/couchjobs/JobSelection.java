package dev.couchjobs;

import dev.couchjobs.internal.observe.UserCode;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.verbs.ControlVerbs;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * All jobs of a type that meet a condition ({@link JobControl#select}). Immutable, and safe for use by several threads.
 *
 * <pre>{@code
 * JobSelection<Mail, Void> ofTenant = jobs.control()
 *         .select(MAIL, job -> job.limitKey().equals(Optional.of("tenant-7")));
 * long count = ofTenant.count().join().applied();
 * ofTenant.onProgress(progress -> log(progress)).cancel("the tenant has left").join();
 * }</pre>
 *
 * <p>A verb reads the jobs in the order of their ids, and changes up to 100 of them in each of its transactions. A job
 * that is added or changed meanwhile counts if the verb has not passed its id. If the verb fails, or its process dies,
 * the jobs of the committed transactions are changed: repeat the call, or {@link #resume} it behind them.
 *
 * @param <D> the type of the jobs' data
 * @param <R> the type of their results
 */
public final class JobSelection<D, R> {
    private final ControlVerbs verbs;
    private final JobType<D, R> type;
    private final Predicate<? super JobInfo<D, R>> condition;
    private final Optional<String> tag;
    private final SelectionProgress from;
    private final Consumer<SelectionProgress> listener;

    JobSelection(ControlVerbs verbs, JobType<D, R> type, Predicate<? super JobInfo<D, R>> condition) {
        this(verbs, type, condition, Optional.empty(), SelectionProgress.NONE, progress -> {});
    }

    private JobSelection(
            ControlVerbs verbs,
            JobType<D, R> type,
            Predicate<? super JobInfo<D, R>> condition,
            Optional<String> tag,
            SelectionProgress from,
            Consumer<SelectionProgress> listener) {
        this.verbs = verbs;
        this.type = Objects.requireNonNull(type, "type");
        this.condition = Objects.requireNonNull(condition, "condition");
        this.tag = tag;
        this.from = from;
        this.listener = listener;
    }

    /**
     * The jobs of this selection with a {@linkplain NewJob#tags tag}. A verb then reads only the jobs with that tag.
     *
     * @param newTag the tag; it takes the place of an earlier one
     * @return the selection
     * @throws IllegalArgumentException if the tag is not valid
     */
    public JobSelection<D, R> tagged(String newTag) {
        Name.TAG.known(newTag);
        return new JobSelection<>(verbs, type, condition, Optional.of(newTag), from, listener);
    }

    /**
     * This selection with a listener.
     *
     * @param newListener receives the progress after each transaction, on a thread of the database's executor; an
     *     exception ends the verb
     * @return the selection
     */
    public JobSelection<D, R> onProgress(Consumer<SelectionProgress> newListener) {
        return new JobSelection<>(
                verbs, type, condition, tag, from, Objects.requireNonNull(newListener, "newListener"));
    }

    /**
     * This selection without the jobs that an earlier call has done, whose numbers count on.
     *
     * @param progress the last progress of that call
     * @return the selection
     */
    public JobSelection<D, R> resume(SelectionProgress progress) {
        return new JobSelection<>(verbs, type, condition, tag, Objects.requireNonNull(progress, "progress"), listener);
    }

    /** {@return how many jobs meet the condition, as {@link SelectionProgress#applied}; changes nothing} */
    public CompletableFuture<SelectionProgress> count() {
        return run(verbs.countAll());
    }

    /**
     * Cancels those that are pending or running, as {@link JobControl#cancel} does.
     *
     * @param reason why
     * @return the progress when all are done
     */
    public CompletableFuture<SelectionProgress> cancel(String reason) {
        return run(verbs.cancelAll(type, reason));
    }

    /** {@return the progress when all are removed, as by {@link CouchJobs#remove}} */
    public CompletableFuture<SelectionProgress> remove() {
        return run(verbs.removeAll());
    }

    /** {@return the progress when all that have failed for good are pending, as by {@link DeadLetters#retry}} */
    public CompletableFuture<SelectionProgress> retry() {
        return run(verbs.retryAll());
    }

    /** {@return the progress when all that are pending may run, as by {@link JobControl#runNow}} */
    public CompletableFuture<SelectionProgress> runNow() {
        return run(verbs.runAllNow());
    }

    /**
     * Gives those that are pending another scheduled time, as {@link JobControl#reschedule} does.
     *
     * @param time the time
     * @return the progress when all are done
     * @throws IllegalArgumentException if the time is before 1970 or after 9999
     */
    public CompletableFuture<SelectionProgress> reschedule(Instant time) {
        return run(verbs.rescheduleAll(time));
    }

    /**
     * Gives those that are pending or running another priority, as {@link JobControl#reprioritise} does.
     *
     * @param priority the priority
     * @return the progress when all are done
     */
    public CompletableFuture<SelectionProgress> reprioritise(int priority) {
        return run(verbs.reprioritiseAll(priority));
    }

    private CompletableFuture<SelectionProgress> run(ControlVerbs.BulkAction action) {
        return verbs.select(type, UserCode.predicate(condition), tag).run(action, from, UserCode.consumer(listener));
    }
}
