package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.AddResult;
import dev.couchjobs.AsyncJobHandler;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.JobsMove;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.PayloadException;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Callbacks;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Whatever a callback throws has the result that docs/callbacks.md states, and nothing else. */
@SuppressWarnings("NullAway") // callbacks give null where they must not
class CallbacksTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class)
            .retry(RetryPolicy.standard().attempts(1))
            .retention(Retention.of(Duration.ofHours(1)));

    /** Provokes a callback, which throws, and asserts the stated result. */
    private interface Case {
        void check(CallbacksTest test) throws Exception;
    }

    private static final Map<String, Case> CASES = new LinkedHashMap<>();

    static {
        for (Method method : JobsListener.class.getDeclaredMethods()) {
            CASES.put("JobsListener." + method.getName(), test -> test.observes(method.getName()));
        }
        CASES.put("JobMiddleware.add", CallbacksTest::middlewareRefusesAnAddition);
        CASES.put("JobMiddleware.run", CallbacksTest::middlewareFailsAnAttempt);
        CASES.put("JobHandler.handle", CallbacksTest::handlerFails);
        CASES.put("AsyncJobHandler.handle", CallbacksTest::asyncHandlerFails);
        CASES.put("JobContext.run, transaction", CallbacksTest::transactionFails);
        CASES.put("JobContext.finish, transaction", CallbacksTest::finishingTransactionFails);
        CASES.put("JsonCodec.write, data", CallbacksTest::codecRefusesAnAddition);
        CASES.put("JsonCodec.read, data", CallbacksTest::codecFailsAnAttempt);
        CASES.put("JsonCodec.write, result", CallbacksTest::codecFailsAResult);
        CASES.put("JsonCodec.read, result", CallbacksTest::codecFailsARead);
        CASES.put("WorkerBuilder.executor", CallbacksTest::executorRefuses);
        CASES.put("JobArchive.store", CallbacksTest::archiveKeepsTheJobs);
        CASES.put("JobControl.select, condition", CallbacksTest::conditionFailsTheVerb);
        CASES.put("JobSelection.onProgress", CallbacksTest::progressFailsTheVerb);
        CASES.put("JobsMove.of, listener", CallbacksTest::listenerFailsTheMove);
    }

    /** The versions of a target are ahead of those of the source. */
    private static final long AHEAD = 1_000_000_000_000L;

    @TempDir
    private Path directory;

    private final VirtualStage stage = new VirtualStage(1);
    private Duration clockAhead = Duration.ZERO;
    private Supplier<Throwable> thrown = IllegalStateException::new;
    private boolean isThrowing = true;
    private int thrownTimes;

    @AfterEach
    void close() {
        stage.close();
    }

    static Stream<Arguments> cases() {
        return CASES.keySet().stream()
                .flatMap(callback -> Callbacks.THROWABLES.keySet().stream().map(what -> Arguments.of(callback, what)));
    }

    @ParameterizedTest(name = "{0} throws {1}")
    @MethodSource("cases")
    void whateverACallbackThrowsHasTheStatedResult(String callback, String what) throws Exception {
        thrown = Objects.requireNonNull(Callbacks.THROWABLES.get(what));

        Objects.requireNonNull(CASES.get(callback)).check(this);

        assertThat(thrownTimes).as("how often the callback has thrown").isPositive();
    }

    /** Provokes a callback, which gives null, and returns the error that there is instead of a result. */
    private interface NullCase {
        String error(CallbacksTest test);
    }

    private static final Map<String, NullCase> NULLS = new LinkedHashMap<>();

    static {
        NULLS.put("add, stage", test -> test.failedAddition((jobs, next) -> null));
        NULLS.put(
                "add, results",
                test -> test.failedAddition((jobs, next) -> next.add(jobs).thenApply(added -> null)));
        NULLS.put(
                "add, a result",
                test -> test.failedAddition(
                        (jobs, next) -> next.add(jobs).thenApply(added -> Collections.singletonList(null))));
        NULLS.put("add, jobs", test -> test.failedAddition((jobs, next) -> next.add(null)));
        NULLS.put("add, a job", test -> test.failedAddition((jobs, next) -> next.add(Collections.singletonList(null))));
        NULLS.put("run, stage", CallbacksTest::attemptWithoutStage);
        NULLS.put("JsonCodec.write, data", test -> test.failedAdditionBy(nullCodec(Direction.WRITE, "a")));
        NULLS.put("JsonCodec.write, result", test -> test.failedAttemptBy(nullCodec(Direction.WRITE, "sent a")));
        NULLS.put("JsonCodec.read, data", test -> test.failedAttemptBy(nullCodec(Direction.READ, "a")));
        NULLS.put("JobContext.run, future", test -> test.failedAttempt(job -> job.runAsync(tx -> null)));
        NULLS.put("JobContext.finish, future", test -> test.failedAttempt(job -> job.finishAsync(tx -> null)));
    }

    static Stream<String> nulls() {
        return NULLS.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("nulls")
    void nullIsAnErrorThatNamesTheCallback(String callback) {
        String error = Objects.requireNonNull(NULLS.get(callback)).error(this);

        String named = callback.startsWith("Json")
                ? "codec"
                : callback.startsWith("JobContext") ? "transaction" : "CallbacksTest$";
        assertThat(error).contains(named).doesNotContain("Cannot invoke");
    }

    private interface Adding {
        CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> given, JobMiddleware.Addition next);
    }

    private String failedAddition(Adding adding) {
        JobMiddleware middleware = new JobMiddleware() {
            @Override
            public CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> given, Addition next) {
                return isThrowing ? adding.add(given, next) : next.add(given);
            }
        };
        return failedAddition(builder().middleware(middleware).build());
    }

    private String failedAdditionBy(JsonCodec codec) {
        return failedAddition(builder().codec(codec).build());
    }

    private String failedAddition(CouchJobs jobs) {
        Throwable error = catchThrowable(() -> add(jobs, "a"));
        assertThat(error).isNotNull();
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
        return error.toString();
    }

    private String attemptWithoutStage() {
        JobMiddleware middleware = new JobMiddleware() {
            @Override
            public CompletionStage<? extends @Nullable Object> run(JobContext<?> job, Attempt next) {
                return isThrowing ? null : next.run();
            }
        };
        return failedAttempt(builder().middleware(middleware).build(), CallbacksTest::sends);
    }

    private String failedAttempt(AsyncJobHandler<String, String> handler) {
        return failedAttempt(builder().build(), job -> isThrowing ? handler.handle(job) : sends(job));
    }

    private String failedAttemptBy(JsonCodec codec) {
        return failedAttempt(builder().codec(codec).build(), CallbacksTest::sends);
    }

    private String failedAttempt(CouchJobs jobs, AsyncJobHandler<String, String> handler) {
        Worker worker = work(jobs, handler);
        add(jobs, "a");
        pass(Duration.ofSeconds(10));
        isThrowing = false;
        JobInfo<String, String> job = job(jobs, "a");
        assertThat(job.outcome()).contains(Outcome.FAILED);
        assertHealthy(jobs, worker);
        return job.error().orElseThrow();
    }

    private static JsonCodec nullCodec(Direction direction, String text) {
        JsonCodec real = JsonCodec.of(JsonMapper.builder().build());
        return new JsonCodec() {
            @Override
            public byte[] write(Object value, Type type) throws Exception {
                return direction == Direction.WRITE && value.equals(text) ? null : real.write(value, type);
            }

            @Override
            public Object read(byte[] json, Type type) throws Exception {
                Object value = real.read(json, type);
                return direction == Direction.READ && value.equals(text) ? null : value;
            }
        };
    }

    @Test
    void theDocsListTheCallbacks() throws IOException {
        assertThat(Callbacks.documented("Jobs")).containsExactlyInAnyOrderElementsOf(CASES.keySet());
    }

    // What is on the stage

    private Environment environment() {
        Environment own = stage.environment();
        return new Environment(() -> own.clock().instant().plus(clockAhead), own.scheduler(), own.random());
    }

    private CouchJobsBuilder builder() {
        return CouchJobs.builder(stage.database()).environment(environment()).maxClockSkew(Duration.ofDays(365));
    }

    private Worker work(CouchJobs jobs, AsyncJobHandler<String, String> handler) {
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, TIMEOUT));
        return jobs.worker()
                .handleAsync(MAIL, handler)
                .executor(stage.time())
                .concurrency(1)
                .start();
    }

    private static CompletionStage<String> sends(JobContext<String> job) {
        return CompletableFuture.completedFuture("sent " + job.data());
    }

    private void add(CouchJobs jobs, String id) {
        stage.await(jobs.add(stage.database(), NewJob.of(MAIL, id).id(id)));
    }

    private void pass(Duration time) {
        stage.time().advance(time);
    }

    private JobInfo<String, String> job(CouchJobs jobs, String id) {
        return stage.await(jobs.getJob(stage.database(), MAIL, id)).orElseThrow();
    }

    private void assertSucceeds(CouchJobs jobs, String id) {
        isThrowing = false;
        pass(Duration.ofMinutes(1));
        assertThat(job(jobs, id).outcome()).contains(Outcome.SUCCEEDED);
    }

    /** The slot is free, the claims are gone, and the worker closes. */
    private void assertHealthy(CouchJobs jobs, Worker worker) {
        isThrowing = false;
        add(jobs, "last");
        assertSucceeds(jobs, "last");
        assertThat(worker.stuckSlots()).isZero();
        stage.await(worker.closeAsync());
        jobs.close();
    }

    private void assertFails(CouchJobs jobs, String id) {
        assertFails(jobs, id, thrown.get());
    }

    /** An attempt that has no memory left is released, and the job fails when that has happened too often. */
    private void assertFails(CouchJobs jobs, String id, Throwable error) {
        boolean isOutOfMemory = error instanceof OutOfMemoryError;
        pass(Duration.ofSeconds(10));
        JobInfo<String, String> job = job(jobs, id);
        assertThat(job.outcome()).contains(Outcome.FAILED);
        assertThat(job.error()).isPresent();
        assertThat(job.releases(ReleaseReason.OUT_OF_MEMORY)).isEqualTo(isOutOfMemory ? 3 : 0);
        assertThat(job.claims()).isEqualTo(isOutOfMemory ? 4 : 1);
        if (isOutOfMemory) {
            assertThat(job.error().orElseThrow()).contains("OutOfMemoryError", "not really");
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // to throw what the compiler does not see
    private <E extends Throwable, T> T fail() throws E {
        thrownTimes++;
        throw (E) thrown.get();
    }

    private void maybe() {
        if (isThrowing) {
            fail();
        }
    }

    // The cases

    /** {@return an object that throws in one method} */
    private <T> T throwingIn(Class<T> type, String throwing) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (method.getName().equals(throwing)) {
                maybe();
            }
            return switch (method.getName()) {
                case "toString" -> "throwing in " + throwing;
                case "hashCode" -> 1;
                case "equals" -> self == args[0];
                default -> null;
            };
        }));
    }

    private void observes(String event) {
        CouchJobs jobs =
                builder().listener(throwingIn(JobsListener.class, event)).build();
        CompletableFuture<String> never = new CompletableFuture<>();
        Worker worker = work(jobs, job -> job.id().equals("hangs") ? never : sends(job));
        add(jobs, "a");
        add(jobs, "b");
        pass(Duration.ofMinutes(1));
        assertThat(job(jobs, "a").outcome()).contains(Outcome.SUCCEEDED);
        assertThat(job(jobs, "b").outcome()).contains(Outcome.SUCCEEDED);

        add(jobs, "hangs");
        for (int i = 0; i < 40; i++) {
            pass(Duration.ofSeconds(1));
            clockAhead = clockAhead.plus(Duration.ofSeconds(2));
        }
        assertThat(job(jobs, "hangs").state()).isEqualTo(JobState.RUNNING);
        stage.await(jobs.control().cancel(stage.database(), MAIL, "hangs", "no need"));
        pass(Duration.ofMinutes(1));
        assertThat(never).isCancelled();

        CouchJobs dead = builder().build();
        stage.await(worker.closeAsync());
        add(jobs, "left");
        assertThat(stage.await(dead.processor().accept(MAIL))).isPresent();
        dead.close();
        worker = work(jobs, CallbacksTest::sends);
        pass(TIMEOUT.multipliedBy(4));
        assertThat(job(jobs, "left").outcome()).contains(Outcome.FAILED); // the one attempt that it has

        pass(Duration.ofHours(3));
        assertThat(stage.await(jobs.getJob(stage.database(), MAIL, "a"))).isEmpty();
        assertHealthy(jobs, worker);
    }

    private void middlewareRefusesAnAddition() {
        JobMiddleware refusing = new JobMiddleware() {
            @Override
            public CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> given, Addition next) {
                maybe();
                return next.add(given);
            }
        };
        CouchJobs jobs = builder().middleware(refusing).build();
        assertAdditionFails(jobs);
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    private void assertAdditionFails(CouchJobs jobs) {
        assertThatThrownBy(() -> add(jobs, "a")).isNotNull();
        assertThat(stage.await(jobs.getJob(stage.database(), MAIL, "a"))).isEmpty();
    }

    private void middlewareFailsAnAttempt() {
        JobMiddleware failing = new JobMiddleware() {
            @Override
            public CompletionStage<? extends @Nullable Object> run(JobContext<?> job, Attempt next) {
                maybe();
                return next.run();
            }
        };
        CouchJobs jobs = builder().middleware(failing).build();
        Worker worker = work(jobs, CallbacksTest::sends);
        add(jobs, "a");
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    private void handlerFails() {
        CouchJobs jobs = builder().build();
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, TIMEOUT));
        Worker worker = jobs.worker()
                .handle(MAIL, job -> {
                    maybe();
                    return "sent";
                })
                .executor(stage.time())
                .concurrency(1)
                .start();
        add(jobs, "a");
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    /** A stage of a class of its own, which throws where the JDK's does not. */
    @SuppressWarnings("unchecked")
    private CompletionStage<String> faultyStage() {
        return (CompletionStage<String>) throwingIn(CompletionStage.class, "whenComplete");
    }

    @SuppressWarnings("NullAway") // a handler without a stage is one of the cases
    private void asyncHandlerFails() {
        CouchJobs jobs = builder().build();
        Worker worker = work(jobs, job -> switch (job.id()) {
            case "throws" -> fail();
            case "fails" -> {
                thrownTimes++;
                yield CompletableFuture.failedFuture(thrown.get());
            }
            case "has no stage" -> null;
            case "has a faulty stage" -> faultyStage();
            default -> sends(job);
        });
        for (String id : List.of("throws", "fails", "has a faulty stage")) {
            add(jobs, id);
            assertFails(jobs, id);
        }
        add(jobs, "has no stage");
        assertFails(jobs, "has no stage", new NullPointerException());
        assertHealthy(jobs, worker);
    }

    private void transactionFails() {
        CouchJobs jobs = builder().build();
        Worker worker = work(jobs, job -> switch (job.id()) {
            case "throws" -> job.runAsync(tx -> fail());
            case "fails" -> job.runAsync(tx -> failed());
            default -> sends(job);
        });
        assertBothFail(jobs, worker);
    }

    private void finishingTransactionFails() {
        CouchJobs jobs = builder().build();
        Worker worker = work(jobs, job -> switch (job.id()) {
            case "throws" -> job.finishAsync(tx -> fail());
            case "fails" -> job.finishAsync(tx -> failed());
            default -> sends(job);
        });
        assertBothFail(jobs, worker);
    }

    private CompletableFuture<String> failed() {
        thrownTimes++;
        return CompletableFuture.failedFuture(thrown.get());
    }

    private void assertBothFail(CouchJobs jobs, Worker worker) {
        for (String id : List.of("throws", "fails")) {
            add(jobs, id);
            assertFails(jobs, id);
        }
        assertHealthy(jobs, worker);
    }

    private enum Direction {
        WRITE,
        READ
    }

    /** {@return a codec that throws for texts that begin so} */
    private JsonCodec codec(Direction throwing, String beginning) {
        JsonCodec real = JsonCodec.of(JsonMapper.builder().build());
        return new JsonCodec() {
            @Override
            public byte[] write(Object value, Type type) throws Exception {
                if (throwing == Direction.WRITE && value.toString().startsWith(beginning)) {
                    maybe();
                }
                return real.write(value, type);
            }

            @Override
            public Object read(byte[] json, Type type) throws Exception {
                Object value = real.read(json, type);
                if (throwing == Direction.READ && value.toString().startsWith(beginning)) {
                    maybe();
                }
                return value;
            }
        };
    }

    private void codecRefusesAnAddition() {
        CouchJobs jobs = builder().codec(codec(Direction.WRITE, "a")).build();
        assertThatThrownBy(() -> add(jobs, "a")).isInstanceOf(PayloadException.class);
        assertAdditionFails(jobs);
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    private void codecFailsAnAttempt() {
        CouchJobs jobs = builder().codec(codec(Direction.READ, "a")).build();
        Worker worker = work(jobs, CallbacksTest::sends);
        add(jobs, "a");
        pass(Duration.ofSeconds(10));
        isThrowing = false;
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    private void codecFailsAResult() {
        CouchJobs jobs = builder().codec(codec(Direction.WRITE, "sent a")).build();
        Worker worker = work(jobs, CallbacksTest::sends);
        add(jobs, "a");
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    private void codecFailsARead() {
        CouchJobs jobs = builder().codec(codec(Direction.READ, "sent a")).build();
        Worker worker = work(jobs, CallbacksTest::sends);
        add(jobs, "a");
        pass(Duration.ofSeconds(5));
        assertThat(job(jobs, "a").outcome()).contains(Outcome.SUCCEEDED);
        assertThatThrownBy(() -> job(jobs, "a").result()).isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> stage.await(jobs.resultAsync(MAIL, "a", TIMEOUT)))
                .satisfiesAnyOf(
                        error -> assertThat(error).isInstanceOf(PayloadException.class),
                        error -> assertThat(error.getCause()).isInstanceOf(PayloadException.class));
        assertHealthy(jobs, worker);
    }

    private void executorRefuses() {
        CouchJobs jobs = builder().build();
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, Duration.ofHours(1)));
        Worker worker = jobs.worker()
                .handleAsync(MAIL, CallbacksTest::sends)
                .executor(task -> {
                    maybe();
                    stage.time().execute(task);
                })
                .concurrency(1)
                .start();
        Instant deadline = environment().clock().instant().plus(Duration.ofHours(1));
        stage.await(jobs.add(stage.database(), NewJob.of(MAIL, "a").id("a").startBefore(deadline)));
        pass(Duration.ofSeconds(5));
        JobInfo<String, String> waiting = job(jobs, "a");
        assertThat(waiting.state()).isEqualTo(JobState.PENDING);
        assertThat(waiting.startBefore()).contains(deadline);
        assertThat(waiting.failures()).isZero();
        pass(Duration.ofMinutes(10));
        assertThat(thrownTimes).isLessThan(40);
        assertThat(job(jobs, "a").failures()).isZero();
        assertSucceeds(jobs, "a");
        assertHealthy(jobs, worker);
    }

    private void archiveKeepsTheJobs() {
        JobType<String, String> archived =
                MAIL.retention(Retention.of(Duration.ofHours(1)).archived());
        CouchJobs jobs = builder().build();
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, TIMEOUT));
        Worker worker = jobs.worker()
                .handleAsync(archived, CallbacksTest::sends)
                .executor(stage.time())
                .concurrency(1)
                .start();
        jobs.maintenance().archive(archived, ended -> {
            maybe();
            return CompletableFuture.completedFuture(ended.size());
        });
        stage.await(jobs.add(stage.database(), NewJob.of(archived, "a").id("a")));
        pass(Duration.ofHours(3));
        assertThat(job(jobs, "a").outcome()).contains(Outcome.SUCCEEDED);
        isThrowing = false;
        pass(Duration.ofMinutes(10));
        assertThat(stage.await(jobs.getJob(stage.database(), MAIL, "a"))).isEmpty();
        assertHealthy(jobs, worker);
    }

    private void conditionFailsTheVerb() {
        assertSelectionFails(jobs -> jobs.control().select(MAIL, job -> fail()).cancel("no need"));
    }

    private void progressFailsTheVerb() {
        assertSelectionFails(jobs -> jobs.control()
                .select(MAIL, job -> true)
                .onProgress(done -> fail())
                .cancel("no need"));
    }

    private void assertSelectionFails(java.util.function.Function<CouchJobs, CompletableFuture<?>> verb) {
        CouchJobs jobs = builder().build();
        add(jobs, "a");
        CompletableFuture<?> called = verb.apply(jobs);
        pass(Duration.ofMinutes(1));
        assertThat(called).isCompletedExceptionally();
        stage.await(jobs.remove(stage.database(), MAIL, "a"));
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    private void listenerFailsTheMove() {
        try (Database source = EmbeddedDatabase.openInMemory();
                Database target = EmbeddedDatabase.openAfter(directory, AHEAD)) {
            try (CouchJobs jobs = CouchJobs.on(source)) {
                jobs.add(source, NewJob.of(MAIL, "a").id("a")).join();
            }
            assertThatThrownBy(() -> JobsMove.of(source, target, "there", new Subspace(), done -> fail())
                            .copy()
                            .join())
                    .isNotNull();
            assertThat(JobsMove.of(source, target, "there").copy().join()).isNotNull();
        }
    }
}
