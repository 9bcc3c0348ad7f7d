package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What is given to an executor may run in any order; here the last runs first. */
class LastFirstTest {
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);

    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final VirtualScheduler time = new VirtualScheduler();
    private final RandomGenerator random = new SplittableRandom(1);
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(tasks::push, time, time::nanoTime, random));
    private final CouchJobs jobs = CouchJobs.builder(database)
            .environment(new Environment(time, time, random))
            .build();

    private <T> T done(CompletableFuture<T> future) {
        time.runUntilIdle();
        while (!tasks.isEmpty()) {
            tasks.pop().run();
            time.runUntilIdle();
        }
        return future.join();
    }

    @Test
    void whoIsGivenAJobIsNotToldThatThereIsNone() {
        done(jobs.types().setTypeTimeout(database, MAIL, Duration.ofSeconds(30)));
        done(jobs.add(database, MAIL, "j1", "to ann"));

        CompletableFuture<Optional<Job<String>>> first = jobs.processor().accept(MAIL, AcceptOptions.nonBlocking());
        CompletableFuture<Optional<Job<String>>> second = jobs.processor().accept(MAIL, AcceptOptions.nonBlocking());

        assertThat(done(first)).isPresent();
        assertThat(done(second)).isEmpty();
    }
}
