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

    private final VirtualScheduler time = new VirtualScheduler();
    private final RandomGenerator random = new SplittableRandom(7);
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(Runnable::run, time, time::nanoTime, random));
    private final CouchJobs jobs = CouchJobs.builder(database)
            .environment(new Environment(time, time, random))
            .build();

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
        AtomicBoolean isAway = new AtomicBoolean();
        Executor shutDown = task -> {
            throw new RejectedExecutionException("the database is closed");
        };
        Executor shutDownLater = task -> (isAway.get() ? shutDown : database.getExecutor()).execute(task);
        Database silent = DatabaseProxies.to(Database.class, (self, method, arguments) -> switch (method.getName()) {
            case "getExecutor" -> shutDownLater;
            case "runAsync" ->
                isAway.get() ? new CompletableFuture<>() : DatabaseProxies.invoke(database, method, arguments);
            default -> DatabaseProxies.invoke(database, method, arguments);
        });
        CouchJobs away = CouchJobs.builder(silent)
                .environment(new Environment(time, time, random))
                .build();
        Worker worker = away.worker().handle(MAIL, job -> "done").executor(time).start();
        time.advance(Duration.ofSeconds(1));
        isAway.set(true);

        CompletableFuture<Void> closed = worker.closeAsync();
        time.advance(Duration.ofMinutes(1));

        assertThat(closed).isCompleted();
        away.close();
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
