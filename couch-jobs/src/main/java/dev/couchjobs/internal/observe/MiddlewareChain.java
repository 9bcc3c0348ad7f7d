package dev.couchjobs.internal.observe;

import dev.couchjobs.AddResult;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.NewJob;
import dev.couchjobs.internal.loop.RootCauses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The middleware of an instance or a worker; the first is the outermost. Callers do not use it if it is empty. */
public final class MiddlewareChain {
    /** No middleware. */
    public static final MiddlewareChain NONE = new MiddlewareChain(List.of());

    private final List<JobMiddleware> all;

    public MiddlewareChain(List<JobMiddleware> all) {
        this.all = List.copyOf(all);
    }

    /** {@return whether there is none} */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** {@return this with more middleware inside} */
    public MiddlewareChain with(List<JobMiddleware> inner) {
        List<JobMiddleware> both = new ArrayList<>(all);
        both.addAll(inner);
        return new MiddlewareChain(both);
    }

    /**
     * Adds jobs through all middleware. An error that is thrown at the call comes out of it as it was thrown: bad input
     * throws at the call of a verb.
     *
     * @param last adds the jobs
     * @return as many results as there are jobs
     */
    public CompletableFuture<List<AddResult>> add(List<? extends NewJob<?>> jobs, JobMiddleware.Addition last) {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        JobMiddleware.Addition chain = given -> caught(thrown, () -> last.add(sameNumber(jobs, given)));
        for (int i = all.size() - 1; i >= 0; i--) {
            JobMiddleware middleware = all.get(i);
            JobMiddleware.Addition inner = chain;
            chain = given -> caught(thrown, () -> add(middleware, given, inner));
        }
        CompletableFuture<List<AddResult>> added = chain.add(jobs).toCompletableFuture();
        Throwable first = thrown.get();
        if (first instanceof RuntimeException bad && added.isCompletedExceptionally()) {
            Throwable error =
                    RootCauses.of(added.handle((results, failure) -> failure).join());
            if (error == bad) {
                throw bad;
            }
        }
        return added.thenApply(results -> {
            if (results.size() != jobs.size()) {
                throw new IllegalStateException("Middleware has given " + results.size() + " results for " + jobs.size()
                        + " jobs: return those that next gives.");
            }
            return results;
        });
    }

    /** Adds jobs through one middleware, which gives no null: neither to the next one, nor back. */
    private static CompletionStage<List<AddResult>> add(
            JobMiddleware middleware, List<? extends NewJob<?>> jobs, JobMiddleware.Addition next) {
        String name = name(middleware);
        JobMiddleware.Addition checked = given -> {
            try {
                return next.add(withoutNull(name + ", which called next.add,", given));
            } catch (IllegalStateException e) {
                return CompletableFuture.failedFuture(e);
            }
        };
        return UserCode.<List<AddResult>>stage(name, middleware.add(jobs, checked))
                .thenApply(results -> withoutNull(name, results));
    }

    private static String name(JobMiddleware middleware) {
        return "Middleware " + middleware.getClass().getName();
    }

    private static <T> List<T> withoutNull(String callback, List<T> values) {
        UserCode.given(callback, values).forEach(value -> UserCode.given(callback, value));
        return values;
    }

    private static List<? extends NewJob<?>> sameNumber(
            List<? extends NewJob<?>> jobs, List<? extends NewJob<?>> given) {
        if (given.size() != jobs.size()) {
            throw new IllegalStateException("Middleware passes on " + given.size() + " jobs in place of " + jobs.size()
                    + ": pass on as many, or throw an error to refuse them.");
        }
        return given;
    }

    private static CompletionStage<List<AddResult>> caught(
            AtomicReference<Throwable> thrown, Supplier<CompletionStage<List<AddResult>>> call) {
        try {
            return call.get();
        } catch (Throwable e) { // also an error: middleware is the user's
            Throwable error = UserCode.passable(e); // outer middleware may chain stages of the JDK to it
            thrown.set(error);
            return CompletableFuture.failedFuture(error);
        }
    }

    /**
     * Runs an attempt through all middleware.
     *
     * @param handler calls the handler; throws nothing
     */
    public CompletionStage<? extends @Nullable Object> run(JobContext<?> job, JobMiddleware.Attempt handler) {
        AtomicBoolean isCalled = new AtomicBoolean();
        JobMiddleware.Attempt chain = () -> isCalled.getAndSet(true)
                ? CompletableFuture.failedFuture(new IllegalStateException(
                        "Middleware calls the handler of " + job.job() + " twice: call next.run() at most once."))
                : handler.run();
        for (int i = all.size() - 1; i >= 0; i--) {
            JobMiddleware middleware = all.get(i);
            JobMiddleware.Attempt inner = chain;
            chain = () -> run(middleware, job, inner);
        }
        return chain.run();
    }

    private static CompletionStage<? extends @Nullable Object> run(
            JobMiddleware middleware, JobContext<?> job, JobMiddleware.Attempt inner) {
        try {
            return UserCode.stage(name(middleware), middleware.run(job, inner));
        } catch (Throwable e) { // also an error: the job has to end
            return CompletableFuture.failedFuture(UserCode.passable(e));
        }
    }
}
