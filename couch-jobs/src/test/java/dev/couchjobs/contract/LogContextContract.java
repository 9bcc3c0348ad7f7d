package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.couchjobs.JobContext;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.slf4j.helpers.BasicMDCAdapter;

/** What a handler logs says of which job, type and attempt. */
class LogContextContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO));

    private final BlockingQueue<Map<String, String>> seen = new LinkedBlockingQueue<>();
    private ExecutorService thread;
    private Object adapterBefore = new Object();

    /** The provider of the tests has no diagnostic context, and the API has no setter. */
    private static Field adapter() throws NoSuchFieldException {
        Field field = MDC.class.getDeclaredField("MDC_ADAPTER");
        field.setAccessible(true);
        return field;
    }

    @BeforeEach
    void useAContext() throws ReflectiveOperationException {
        MDC.clear(); // so that the provider's own is there
        adapterBefore = adapter().get(null);
        adapter().set(null, new BasicMDCAdapter());
        thread = Executors.newSingleThreadExecutor();
    }

    @AfterEach
    void useNone() throws ReflectiveOperationException {
        thread.shutdownNow();
        adapter().set(null, adapterBefore);
    }

    private static Map<String, String> context() {
        Map<String, String> all = MDC.getCopyOfContextMap();
        return all == null ? new HashMap<>() : all;
    }

    private Map<String, String> next() throws InterruptedException {
        Map<String, String> next = seen.poll(LONG.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    private void add(String jobId) {
        await(jobs.add(database, NewJob.of(WORK, new WorkData(1)).id(jobId)));
    }

    @Test
    void everyAttemptHasItsJobInTheContext() throws InterruptedException {
        add("j1");

        var unused = jobs.worker()
                .process(WORK, job -> {
                    seen.add(context());
                    throw new IllegalStateException("bad luck");
                })
                .start();

        assertThat(next())
                .containsOnly(
                        entry("couchjobs.type", "index"), entry("couchjobs.id", "j1"), entry("couchjobs.attempt", "1"));
        assertThat(next()).containsEntry("couchjobs.attempt", "2");
    }

    @Test
    void theThreadHasItsOwnContextAgainAfterwards() throws Exception {
        thread.submit(() -> {
                    MDC.put("couchjobs.id", "outer");
                    MDC.put("user", "ann");
                })
                .get();
        add("j1");

        var unused = jobs.worker()
                .executor(thread)
                .process(WORK, job -> seen.add(context()))
                .start();

        assertThat(next()).containsEntry("couchjobs.id", "j1").containsEntry("user", "ann");
        assertThat(await(jobs.resultAsync(WORK, "j1", LONG))).isNull();
        assertThat(thread.submit(LogContextContract::context).get())
                .containsOnly(entry("couchjobs.id", "outer"), entry("user", "ann"));
    }

    @Test
    void anAsynchronousHandlerIsCalledInTheContextAndLeavesNoneBehind() throws Exception {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        add("j1");

        var unused = jobs.worker()
                .executor(thread)
                .handleAsync(WORK, job -> {
                    seen.add(context());
                    return stage;
                })
                .start();

        assertThat(next()).containsEntry("couchjobs.id", "j1");
        assertThat(thread.submit(LogContextContract::context).get()).isEmpty();
        stage.complete(null);
    }

    @Test
    void middlewareRunsInTheContext() throws InterruptedException {
        add("j1");

        var unused = jobs.worker()
                .process(WORK, job -> {})
                .middleware(new JobMiddleware() {
                    @Override
                    public CompletionStage<?> run(JobContext<?> job, Attempt next) {
                        seen.add(context());
                        return next.run();
                    }
                })
                .start();

        assertThat(next()).containsEntry("couchjobs.id", "j1");
    }
}
