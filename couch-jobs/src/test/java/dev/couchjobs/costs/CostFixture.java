package dev.couchjobs.costs;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.Retention;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Jobs in virtual time, an instance whose transactions are measured, and others to set the scene with. */
final class CostFixture implements AutoCloseable {
    static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    static final JobType<String, String> ARCHIVED =
            MAIL.retention(Retention.standard().archived());
    static final String DATA = "{\"to\":\"ann@example.com\",\"text\":\"What's for dinner, and when?\"}";
    static final String LARGE = "x".repeat(200_000);
    static final int MANY = 100;
    static final Duration TIMEOUT = MeasuredStage.TIMEOUT;
    static final Duration RETENTION = Duration.ofDays(30);

    private final MeasuredStage stage = new MeasuredStage(6, MAIL);
    /** Jobs that the worker of {@link #working} runs, and how they are to end. */
    private final Map<String, CompletableFuture<String>> ends = new LinkedHashMap<>();

    private final Map<String, JobContext<String>> running = new LinkedHashMap<>();
    final CouchJobs jobs = instance(measured());
    final CouchJobs others = stage.others();

    private CouchJobs instance(Database on) {
        return stage.builder(on).name("node-1.example.com-12345").build();
    }

    Database measured() {
        return stage.measured();
    }

    Database database() {
        return stage.database();
    }

    <T> T await(CompletableFuture<T> future) {
        return stage.await(future);
    }

    VirtualScheduler time() {
        return stage.time();
    }

    void pass(Duration time) {
        stage.time().advance(time);
    }

    Cost cost(Runnable happens, Predicate<Cost> transactions) {
        stage.forget();
        happens.run();
        return Cost.of(stage.tries().stream()
                .filter(each -> transactions.test(each.cost()))
                .toList());
    }

    /** An error whose text is the same wherever it comes from. */
    static Throwable failure(RuntimeException error) {
        error.setStackTrace(new StackTraceElement[0]);
        return error;
    }

    static String id(int number) {
        return "mail-%08d".formatted(number);
    }

    /** {@return the id of a job that waits to run} */
    String pending() {
        return pending(DATA);
    }

    String pending(String data) {
        await(others.add(database(), MAIL, id(0), data));
        return id(0);
    }

    List<NewJob<String>> news(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> NewJob.of(MAIL, DATA).id(id(i)))
                .toList();
    }

    List<String> pending(int count) {
        return await(others.addAll(database(), news(count))).stream()
                .map(AddResult::jobId)
                .toList();
    }

    Job<String> running() {
        return running(DATA);
    }

    Job<String> running(String data) {
        pending(data);
        return claimed();
    }

    /** Claims a job in the name of somebody who then does nothing by himself. */
    Job<String> claimed() {
        try (CouchJobs processor = instance(database())) {
            return await(processor.processor().accept(MAIL, AcceptOptions.nonBlocking()))
                    .orElseThrow();
        }
    }

    /** {@return the claims of many jobs in one transaction} */
    List<Job<String>> claimedTogether() {
        pending(MANY);
        try (CouchJobs processor = instance(database())) {
            return await(processor.processor().accept(MAIL, MANY, AcceptOptions.nonBlocking()));
        }
    }

    Job<String> finished() {
        Job<String> job = running();
        await(others.processor().finish(database(), job));
        return job;
    }

    /** {@return many that have failed for good} */
    List<String> failed(int count) {
        List<String> ids = pending(count);
        ids.forEach(id ->
                await(others.processor().fail(database(), claimed(), failure(new PermanentFailureException("no")))));
        return ids;
    }

    /** Many running jobs of which nobody is heard of any more. */
    List<String> claimedAndLeft() {
        List<String> ids = pending(MANY);
        ids.forEach(id -> claimed());
        return ids;
    }

    /** Many jobs that a worker has ended. */
    JobType<String, String> ended(JobType<String, String> type) {
        pending(MANY);
        try (CouchJobs processor = instance(database())) {
            Worker worker = processor
                    .worker()
                    .handleAsync(type, job -> CompletableFuture.completedFuture("sent"))
                    .executor(stage.time())
                    .concurrency(MANY)
                    .start();
            pass(Duration.ofSeconds(1));
            await(worker.closeAsync());
        }
        return type;
    }

    /** {@return a worker that is measured and has begun to run so many jobs} */
    Worker working(int count) {
        pending(count);
        Worker worker = worker(count);
        pass(Duration.ofSeconds(1));
        return worker;
    }

    Worker worker(int concurrency) {
        return jobs.worker()
                .handleAsync(MAIL, job -> {
                    running.put(job.id(), job);
                    return ends.computeIfAbsent(job.id(), id -> new CompletableFuture<>());
                })
                .executor(stage.time())
                .concurrency(concurrency)
                .start();
    }

    List<JobContext<String>> begun() {
        return List.copyOf(running.values());
    }

    void endAll() {
        ends.values().forEach(end -> end.complete("sent"));
    }

    @Override
    public void close() {
        jobs.close();
        stage.close();
    }
}
