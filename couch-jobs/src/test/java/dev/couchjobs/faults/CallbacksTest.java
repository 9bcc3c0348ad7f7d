package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.AddResult;
import dev.couchjobs.AsyncJobHandler;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.JobsMove;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PayloadEncryption;
import dev.couchjobs.PayloadException;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.ThreadTransaction;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
        CASES.put("JobProcessor.process", CallbacksTest::processorFails);
        CASES.put("AsyncJobHandler.handle", CallbacksTest::asyncHandlerFails);
        CASES.put("JobContext.run, transaction", test -> test.blockingTransactionFails(JobContext::run));
        CASES.put("JobContext.runAsync, transaction", CallbacksTest::transactionFails);
        CASES.put("JobContext.finish, transaction", test -> test.blockingTransactionFails(JobContext::finish));
        CASES.put("JobContext.finishAsync, transaction", CallbacksTest::finishingTransactionFails);
        CASES.put("JsonCodec.write, data", CallbacksTest::codecRefusesAnAddition);
        CASES.put("JsonCodec.read, data", CallbacksTest::codecFailsAnAttempt);
        CASES.put("JsonCodec.write, result", CallbacksTest::codecFailsAResult);
        CASES.put("JsonCodec.read, result", CallbacksTest::codecFailsARead);
        CASES.put("WorkerBuilder.executor", CallbacksTest::executorRefuses);
        CASES.put("JobArchive.store", CallbacksTest::archiveKeepsTheJobs);
        CASES.put("JobControl.select, condition", CallbacksTest::conditionFailsTheVerb);
        CASES.put("JobSelection.onProgress", CallbacksTest::progressFailsTheVerb);
        CASES.put("JobStatuses.index, progress", CallbacksTest::progressFailsTheIndex);
        CASES.put(
                "JobDetails.dependencyStates, types",
                test -> test.typesFailTheListing(jobs -> jobs.details()
                        .dependencyStates(test.stage.database(), MAIL, "b", type -> test.fail(), PageRequest.of(10))));
        CASES.put(
                "JobDetails.dependentStates, types",
                test -> test.typesFailTheListing(jobs -> jobs.details()
                        .dependentStates(test.stage.database(), MAIL, "a", type -> test.fail(), PageRequest.of(10))));
        CASES.put("JobsMove.of, listener", CallbacksTest::listenerFailsTheMove);
        CASES.put("PayloadEncryption.writing, key", CallbacksTest::keyRefusesAnAddition);
        CASES.put("PayloadEncryption.writing, key, result", CallbacksTest::keyFailsAResult);
        CASES.put("PayloadEncryption.reading, key", CallbacksTest::keyFailsAnAttempt);
        CASES.put("Processor.fail, error", CallbacksTest::anyErrorEndsAClaim);
        CASES.put(
                "RetryPolicy.delayAfter, random",
                test -> test.assertThrowsTheSame(() -> RetryPolicy.standard()
                        .delayAfter(1, (RandomGenerator) () -> test.<RuntimeException, Long>fail())));
        CASES.put(
                "ThreadTransaction.without, code",
                test -> test.assertThrowsTheSame(() -> ThreadTransaction.without(() -> test.fail())));
    }

    /** The versions of a target are ahead of those of the source. */
    private static final long AHEAD = 1_000_000_000_000L;

    @TempDir
    private Path directory;

    private final VirtualStage stage = new VirtualStage(1);
    private Duration clockAhead = Duration.ZERO;
    private Supplier<Throwable> thrown = IllegalStateException::new;
    private Manner manner = Manner.THROWS;
    private boolean isThrowing = true;
    private int thrownTimes;

    @AfterEach
    void close() {
        stage.close();
    }

    /** After these FoundationDB tries a transaction again, whoever has thrown them. */
    private static final Map<String, Supplier<Throwable>> DATABASE_ERRORS = new LinkedHashMap<>();

    static {
        for (int code : new int[] {1007, 1020, 1021, 2101}) {
            DATABASE_ERRORS.put("error " + code, () -> new FDBException("of another database", code));
        }
        DATABASE_ERRORS.put(
                "error 1020 in a wrapper",
                () -> new CompletionException(new FDBException("of another database", 1020)));
    }

    /** {@return each callback with each throwable} A handler's transaction is tried again after errors of databases. */
    static Stream<Arguments> cases() {
        return CASES.keySet().stream()
                .flatMap(callback -> Stream.concat(
                                Callbacks.THROWABLES.keySet().stream(),
                                callback.startsWith("JobContext.") || callback.startsWith("JobsListener.")
                                        ? Stream.of()
                                        : DATABASE_ERRORS.keySet().stream())
                        .map(what -> Arguments.of(callback, what)));
    }

    private static Supplier<Throwable> throwable(String what) {
        return Objects.requireNonNull(Callbacks.THROWABLES.getOrDefault(what, DATABASE_ERRORS.get(what)));
    }

    @ParameterizedTest(name = "{0} throws {1}")
    @MethodSource("cases")
    void whateverACallbackThrowsHasTheStatedResult(String callback, String what) throws Exception {
        thrown = throwable(what);

        Objects.requireNonNull(CASES.get(callback)).check(this);

        assertThat(thrownTimes).as("how often the callback has thrown").isPositive();
    }

    /** How a callback that returns a stage fails. */
    private enum Manner {
        THROWS,
        FAILED_STAGE,
        LATER_STAGE,
        /** The stage throws when it is asked for its end. */
        FAULTY_STAGE
    }

    /** Callbacks that return stages. Middleware has another around it, which chains a stage of the JDK to its. */
    private static final Map<String, Case> STAGES = new LinkedHashMap<>();

    static {
        STAGES.put("JobMiddleware.add", CallbacksTest::middlewareRefusesAnAddition);
        STAGES.put("JobMiddleware.run", CallbacksTest::middlewareFailsAnAttempt);
        STAGES.put("AsyncJobHandler.handle", test -> test.stageFailsAnAttempt(job -> test.bad(() -> sends(job))));
        STAGES.put("AsyncJobHandler.handle in middleware", CallbacksTest::stageFailsAnAttemptInMiddleware);
        STAGES.put(
                "JobContext.runAsync, transaction",
                test -> test.stageFailsAnAttempt(job ->
                        job.runAsync(tx -> test.<String>bad(() -> sends(job)).toCompletableFuture())));
        STAGES.put(
                "JobContext.finishAsync, transaction",
                test -> test.stageFailsAnAttempt(job ->
                        job.finishAsync(tx -> test.<String>bad(() -> sends(job)).toCompletableFuture())));
        STAGES.put("JobArchive.store", CallbacksTest::archiveKeepsTheJobs);
    }

    static Stream<Arguments> stages() {
        return STAGES.keySet().stream()
                .flatMap(callback -> Stream.of(Manner.values())
                        .filter(how -> how != Manner.FAULTY_STAGE || !callback.startsWith("JobContext."))
                        .flatMap(how -> Stream.concat(
                                        Callbacks.THROWABLES.keySet().stream(),
                                        callback.startsWith("JobContext.") ? Stream.of() : Stream.of("error 1020"))
                                .map(what -> Arguments.of(callback, how, what))));
    }

    @ParameterizedTest(name = "{0}: {1}, {2}")
    @MethodSource("stages")
    void aStageThatFailsHasTheStatedResultHoweverItFails(String callback, Manner how, String what) throws Exception {
        thrown = throwable(what);
        manner = how;

        Objects.requireNonNull(STAGES.get(callback)).check(this);

        assertThat(thrownTimes).as("how often the callback has failed").isPositive();
    }

    /** {@return a stage, which fails in the manner of this test while callbacks throw} */
    private <T> CompletionStage<T> bad(Supplier<? extends CompletionStage<T>> good) {
        if (!isThrowing) {
            return good.get();
        }
        CompletableFuture<T> failing = new CompletableFuture<>();
        switch (manner) {
            case THROWS -> fail();
            case FAILED_STAGE -> failing.completeExceptionally(counted());
            case LATER_STAGE -> stage.time().execute(() -> failing.completeExceptionally(counted()));
            case FAULTY_STAGE -> {
                return faultyStage();
            }
        }
        return failing;
    }

    private Throwable counted() {
        thrownTimes++;
        return thrown.get();
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
        List<String> tried = CASES.keySet().stream()
                .filter(name -> !name.endsWith("key, result"))
                .toList();
        assertThat(Callbacks.documented("Jobs")).containsExactlyInAnyOrderElementsOf(tried);
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
        return throwingIn(type, List.of(throwing));
    }

    private <T> T throwingIn(Class<T> type, List<String> throwing) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (throwing.contains(method.getName())) {
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
                return bad(() -> next.add(given));
            }
        };
        CouchJobs jobs =
                builder().middleware(new Chaining()).middleware(refusing).build();
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
                return bad(() -> next.run().thenApply(result -> result));
            }
        };
        CouchJobs jobs =
                builder().middleware(new Chaining()).middleware(failing).build();
        Worker worker = work(jobs, CallbacksTest::sends);
        add(jobs, "a");
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    /** Chains stages of the JDK, which never end if an error has no text. */
    private static final class Chaining implements JobMiddleware {
        @Override
        public CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> given, Addition next) {
            return next.add(given).thenApply(added -> added);
        }

        @Override
        public CompletionStage<? extends @Nullable Object> run(JobContext<?> job, Attempt next) {
            return next.run().thenApply(result -> result);
        }
    }

    private void stageFailsAnAttempt(AsyncJobHandler<String, String> handler) {
        stageFailsAnAttempt(builder().build(), handler);
    }

    private void stageFailsAnAttemptInMiddleware() {
        stageFailsAnAttempt(builder().middleware(new Chaining()).build(), job -> bad(() -> sends(job)));
    }

    private void stageFailsAnAttempt(CouchJobs jobs, AsyncJobHandler<String, String> handler) {
        Worker worker = work(jobs, handler);
        add(jobs, "a");
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    private void processorFails() {
        CouchJobs jobs = builder().build();
        JobType<String, Void> type = JobType.of("processed", String.class)
                .retry(RetryPolicy.standard().attempts(1));
        Worker worker = jobs.worker()
                .process(type, job -> maybe())
                .executor(stage.time())
                .concurrency(1)
                .start();
        stage.await(jobs.add(stage.database(), NewJob.of(type, "a").id("a")));
        pass(Duration.ofSeconds(10));
        assertThat(stage.await(jobs.getJob(stage.database(), type, "a"))
                        .orElseThrow()
                        .outcome())
                .contains(Outcome.FAILED);
        isThrowing = false;
        stage.await(jobs.add(stage.database(), NewJob.of(type, "b").id("b")));
        pass(Duration.ofSeconds(10));
        assertThat(stage.await(jobs.getJob(stage.database(), type, "b"))
                        .orElseThrow()
                        .outcome())
                .contains(Outcome.SUCCEEDED);
        stage.await(worker.closeAsync());
        jobs.close();
    }

    /** Runs a transaction in a handler that may block. */
    private interface Blocking {
        @Nullable String run(JobContext<String> job, Function<Transaction, @Nullable String> transaction);
    }

    /** In real time: the handler blocks. */
    private void blockingTransactionFails(Blocking transaction) {
        try (Database database = EmbeddedDatabase.openInMemory();
                CouchJobs jobs = CouchJobs.on(database);
                Worker worker = jobs.worker()
                        .handle(MAIL, job -> transaction.run(job, tx -> fail()))
                        .start()) {
            jobs.add(database, NewJob.of(MAIL, "a").id("a")).join();
            assertThatThrownBy(() -> jobs.result(MAIL, "a", TIMEOUT)).isInstanceOf(JobFailedException.class);
            assertThat(worker.stuckSlots()).isZero();
        }
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
    private <T> CompletionStage<T> faultyStage() {
        return (CompletionStage<T>) throwingIn(CompletionStage.class, List.of("whenComplete", "handle", "thenApply"));
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
            return bad(() -> CompletableFuture.completedFuture(ended.size()));
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

    private void assertSelectionFails(Function<CouchJobs, CompletableFuture<?>> verb) {
        CouchJobs jobs = builder().build();
        add(jobs, "a");
        CompletableFuture<?> called = verb.apply(jobs);
        pass(Duration.ofMinutes(1));
        assertThat(called).isCompletedExceptionally();
        stage.await(jobs.remove(stage.database(), MAIL, "a"));
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    private void progressFailsTheIndex() {
        CouchJobs jobs = builder().build();
        add(jobs, "a");
        CompletableFuture<?> called = jobs.statuses().index(MAIL, count -> fail());
        pass(Duration.ofMinutes(1));
        assertThat(called).isCompletedExceptionally();
        stage.await(jobs.statuses().index(MAIL));
        stage.await(jobs.remove(stage.database(), MAIL, "a"));
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    private void typesFailTheListing(Function<CouchJobs, CompletableFuture<?>> listing) {
        CouchJobs jobs = builder().build();
        add(jobs, "a");
        stage.await(jobs.add(stage.database(), NewJob.of(MAIL, "b").id("b").after(MAIL, "a")));
        CompletableFuture<?> called = listing.apply(jobs);
        pass(Duration.ofMinutes(1));
        assertThat(called).isCompletedExceptionally();
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    /** A key of a device, which throws while callbacks throw. */
    private final class DeviceKey implements SecretKey {
        private static final long serialVersionUID = 1;

        private boolean isBroken;

        @Override
        public String getAlgorithm() {
            return "AES";
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public byte[] getEncoded() {
            if (isBroken) {
                maybe();
            }
            return new byte[32];
        }
    }

    private CouchJobs encrypted(DeviceKey key) {
        return builder().encryption(PayloadEncryption.writing("k", key)).build();
    }

    private void keyRefusesAnAddition() {
        DeviceKey key = new DeviceKey();
        CouchJobs jobs = encrypted(key);
        key.isBroken = true;
        assertThatThrownBy(() -> add(jobs, "a")).isInstanceOf(PayloadException.class);
        assertAdditionFails(jobs);
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    private void keyFailsAResult() {
        DeviceKey key = new DeviceKey();
        CouchJobs jobs = encrypted(key);
        Worker worker = work(jobs, job -> {
            key.isBroken = true;
            return sends(job);
        });
        add(jobs, "a");
        pass(Duration.ofSeconds(10));
        isThrowing = false;
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    private void keyFailsAnAttempt() {
        DeviceKey key = new DeviceKey();
        CouchJobs jobs = encrypted(key);
        add(jobs, "a");
        key.isBroken = true;
        Worker worker = work(jobs, CallbacksTest::sends);
        pass(Duration.ofSeconds(10));
        isThrowing = false;
        assertFails(jobs, "a");
        assertHealthy(jobs, worker);
    }

    /** An error is of a user's class: it is asked for its text, its cause and its frames. */
    private void anyErrorEndsAClaim() {
        CouchJobs jobs = builder().build();
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, TIMEOUT));
        add(jobs, "a");
        Job<String> claim = stage.await(jobs.processor().accept(MAIL)).orElseThrow();
        stage.await(jobs.processor().fail(stage.database(), claim, counted()));
        assertThat(job(jobs, "a").state()).isNotEqualTo(JobState.RUNNING);
        stage.await(jobs.remove(stage.database(), MAIL, "a"));
        assertHealthy(jobs, work(jobs, CallbacksTest::sends));
    }

    private void assertThrowsTheSame(ThrowingCallable call) {
        Throwable error = catchThrowable(call);
        assertThat((Object) error.getClass()).isEqualTo(thrown.get().getClass());
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
