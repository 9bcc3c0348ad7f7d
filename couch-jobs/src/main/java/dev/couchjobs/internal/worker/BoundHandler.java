package dev.couchjobs.internal.worker;

import dev.couchjobs.AsyncJobHandler;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobHandler;
import dev.couchjobs.JobProcessor;
import dev.couchjobs.JobType;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A type and its handler: a {@link JobHandler}, a {@link JobProcessor} or an {@link AsyncJobHandler}.
 *
 * @param <D> the type of the jobs' data
 * @param <R> the type of their results
 */
public final class BoundHandler<D, R> {
    private final JobType<D, R> type;
    private final Call<D> call;

    /** Calls a handler of any kind. */
    @FunctionalInterface
    private interface Call<D> {
        @Nullable Object invoke(JobContext<D> job) throws Exception;
    }

    private BoundHandler(JobType<D, R> type, Call<D> call) {
        this.type = Objects.requireNonNull(type, "type");
        this.call = call;
    }

    public static <D, R> BoundHandler<D, R> blocking(JobType<D, R> type, JobHandler<D, R> handler) {
        Objects.requireNonNull(handler, "handler");
        return new BoundHandler<>(type, handler::handle);
    }

    public static <D> BoundHandler<D, Void> processing(JobType<D, Void> type, JobProcessor<D> processor) {
        Objects.requireNonNull(processor, "processor");
        return new BoundHandler<>(type, job -> {
            processor.process(job);
            return null;
        });
    }

    public static <D, R> BoundHandler<D, R> async(JobType<D, R> type, AsyncJobHandler<D, R> handler) {
        Objects.requireNonNull(handler, "handler");
        return new BoundHandler<>(type, job -> new StartedCall(handler.handle(job)));
    }

    /** The stage that an asynchronous handler has returned. */
    record StartedCall(CompletionStage<?> stage) {}

    public JobType<D, R> type() {
        return type;
    }

    /** {@return the error of a worker that already has a handler of this type} */
    public IllegalArgumentException duplicateHandlerError() {
        return new IllegalArgumentException("Type " + type.name()
                + " has a handler already: give a worker one handler for each type, or make another worker.");
    }

    /** {@return the result, or a {@link StartedCall} with the stage of an asynchronous handler} */
    @Nullable Object call(JobContext<D> job) throws Exception {
        return call.invoke(job);
    }
}
