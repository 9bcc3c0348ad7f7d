package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What still runs when the database is closed under it ends nevertheless. */
class ClosedDatabaseTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);

    private static final Executor SHUT_DOWN = task -> {
        throw new RejectedExecutionException("the database is closed");
    };

    private final VirtualScheduler time = new VirtualScheduler();
    private final RandomGenerator random = new SplittableRandom(7);
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(Runnable::run, time, time::nanoTime, random));
    private final CouchJobs jobs = CouchJobs.builder(database)
            .environment(new Environment(time, time, random))
            .build();

    private final AtomicBoolean isAway = new AtomicBoolean();

    @Test
    void aWorkerCanBeClosedAfterItsDatabase() {
        jobs.types().setTypeTimeout(database, MAIL, Duration.ofSeconds(30)).join();
        Worker worker = jobs.worker().handle(MAIL, job -> "done").executor(time).start();
        time.advance(Duration.ofSeconds(1));
        database.close();
        time.advance(Duration.ofSeconds(10));

        CompletableFuture<Void> closed = worker.closeAsync();
        time.advance(Duration.ofMinutes(1));

        assertThat(closed).isCompleted();
        jobs.close();
    }

    @Test
    void aWorkerCanBeClosedAfterADatabaseThatDoesNotAnswer() {
        CouchJobs away = onSilentDatabase(SHUT_DOWN);
        Worker worker = away.worker().handle(MAIL, job -> "done").executor(time).start();
        time.advance(Duration.ofSeconds(1));
        isAway.set(true);

        CompletableFuture<Void> closed = worker.closeAsync();
        time.advance(Duration.ofMinutes(1));

        assertThat(closed).isCompleted();
        away.close();
    }

    @Test
    void aWorkerWhoseHandlersHaveNotEndedCanBeClosedAfterItsDatabase() {
        closeWithRunningHandlers(SHUT_DOWN);
    }

    @Test
    void aWorkerWhoseHandlersHaveNotEndedCanBeClosedWithoutThreads() {
        closeWithRunningHandlers(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
    }

    private void closeWithRunningHandlers(Executor withoutThreads) {
        List<CompletableFuture<String>> stages = new ArrayList<>();
        CouchJobs away = onSilentDatabase(withoutThreads);
        Worker worker = away.worker()
                .handleAsync(MAIL, job -> {
                    stages.add(new CompletableFuture<>());
                    return stages.get(stages.size() - 1);
                })
                .executor(time)
                .start();
        for (String id : List.of("j1", "j2", "j3")) {
            jobs.add(database, MAIL, id, "data").join();
        }
        time.advance(Duration.ofSeconds(1));
        isAway.set(true);

        CompletableFuture<Void> closed = worker.closeAsync();
        time.advance(Duration.ofMinutes(1));

        assertThat(stages).hasSize(3).allMatch(CompletableFuture::isCancelled);
        assertThat(closed).isCompleted();
        away.close();
    }

    /** An instance whose database does not answer any more, and whose executor has no threads, once it is away. */
    private CouchJobs onSilentDatabase(Executor withoutThreads) {
        Executor laterWithoutThreads = task -> (isAway.get() ? withoutThreads : database.getExecutor()).execute(task);
        Database silent = DatabaseProxies.to(Database.class, (self, method, arguments) -> switch (method.getName()) {
            case "getExecutor" -> laterWithoutThreads;
            case "runAsync" ->
                isAway.get() ? new CompletableFuture<>() : DatabaseProxies.invoke(database, method, arguments);
            default -> DatabaseProxies.invoke(database, method, arguments);
        });
        return CouchJobs.builder(silent)
                .environment(new Environment(time, time, random))
                .build();
    }

    @Test
    void whoeverWaitsForAJobLearnsThatTheDatabaseIsClosed() {
        database.close();

        CompletableFuture<?> accepted = jobs.processor().accept(MAIL);
        time.advance(Duration.ofSeconds(1));

        assertThat(accepted).isCompletedExceptionally();
        jobs.close();
    }
}
