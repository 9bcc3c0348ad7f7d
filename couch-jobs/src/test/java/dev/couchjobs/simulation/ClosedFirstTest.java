package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A database is closed before what stands on it. Whatever was under way then, nothing waits for an answer that cannot
 * come: what is closed ends at once, and so do calls that wait.
 */
class ClosedFirstTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final JobType<String, String> PRINT = JobType.of("print", String.class, String.class);
    private static final Duration LONG = Duration.ofDays(1);
    /** Much less than a worker waits for a database that is slow: 10 s for an end, 40 s for a claim. */
    private static final Duration PROMPTLY = Duration.ofSeconds(1);

    private final VirtualScheduler time = new VirtualScheduler();
    private final RandomGenerator random = new SplittableRandom(7);
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(Runnable::run, time, time::nanoTime, random));
    private final CouchJobs jobs = CouchJobs.builder(database)
            .environment(new Environment(time, time, random))
            .build();
    private final List<CompletableFuture<String>> handlers = new ArrayList<>();

    @AfterEach
    void close() {
        jobs.close();
        database.close();
    }

    /** What a worker has under way when its database is closed. */
    private enum UnderWay {
        /** It has not claimed yet. */
        START,
        /** It waits for jobs. */
        NOTHING,
        /** A handler runs until after the close. */
        HANDLER,
        /** A handler has ended since: its end cannot be written. */
        END,
        /** Several have: their ends go into one transaction, which is halved. */
        ENDS,
        /** It is paused, and so claims nothing. */
        PAUSED,
        /** It has been drained, and closes itself. */
        DRAINED
    }

    private Worker worker(UnderWay underWay) {
        Worker worker = jobs.worker()
                .handleAsync(MAIL, job -> {
                    handlers.add(new CompletableFuture<>());
                    return handlers.get(handlers.size() - 1);
                })
                .handle(PRINT, job -> "printed")
                .name("w")
                .executor(time)
                .start();
        if (underWay != UnderWay.START) {
            time.advance(Duration.ofSeconds(1));
        }
        switch (underWay) {
            case HANDLER, END -> add("j1");
            case ENDS -> List.of("j1", "j2", "j3").forEach(this::add);
            case PAUSED -> time.await(jobs.workers().pause(database, "w"));
            case DRAINED -> {
                add("j1");
                time.await(jobs.workers().drain(database, "w"));
            }
            default -> {}
        }
        time.advance(Duration.ofSeconds(1));
        return worker;
    }

    private void add(String id) {
        time.await(jobs.add(database, MAIL, id, "data"));
        time.advance(Duration.ofSeconds(1));
    }

    private void endHandlers() {
        handlers.forEach(handler -> handler.complete("done"));
        time.advance(Duration.ZERO);
    }

    private void assertEnds(CompletableFuture<?> closed) {
        time.advance(PROMPTLY);
        assertThat(closed).isDone();
    }

    @ParameterizedTest
    @EnumSource
    void aWorkerThatIsClosedAfterItsDatabaseEndsAtOnce(UnderWay underWay) {
        Worker worker = worker(underWay);
        database.close();
        if (underWay == UnderWay.END || underWay == UnderWay.ENDS) {
            endHandlers();
        }

        CompletableFuture<Void> closed = worker.closeAsync();
        time.advance(Duration.ZERO);
        endHandlers();

        assertEnds(closed);
    }

    @ParameterizedTest
    @EnumSource
    void aWorkerWhoseDatabaseWasClosedLongAgoEndsAtOnce(UnderWay underWay) {
        Worker worker = worker(underWay);
        database.close();
        endHandlers();
        time.advance(Duration.ofHours(1));

        assertEnds(worker.closeAsync());
    }

    @ParameterizedTest
    @EnumSource
    void aWorkerThatIsClosingWhenItsDatabaseIsClosedEndsAtOnce(UnderWay underWay) {
        Worker worker = worker(underWay);
        CompletableFuture<Void> closed = worker.closeAsync();
        database.close();
        endHandlers();

        assertEnds(closed);
    }

    /** A call that waits as long as its caller wants, for something that happens in the database. */
    private enum Call {
        ACCEPT {
            @Override
            CompletableFuture<?> begin(CouchJobs jobs, Database database) {
                return jobs.processor().accept(PRINT);
            }
        },
        ACCEPT_SEVERAL {
            @Override
            CompletableFuture<?> begin(CouchJobs jobs, Database database) {
                return jobs.processor().accept(PRINT, 10, AcceptOptions.defaults());
            }
        },
        EVENT {
            @Override
            CompletableFuture<?> begin(CouchJobs jobs, Database database) {
                return jobs.subscribe(database, PRINT, "p").thenCompose(subscription -> subscription.awaitEvent(LONG));
            }
        },
        ANY_EVENT {
            @Override
            CompletableFuture<?> begin(CouchJobs jobs, Database database) {
                return jobs.subscribe(database, PRINT, "p")
                        .thenCompose(one -> Subscription.awaitAny(List.of(one), LONG));
            }
        },
        RESULT {
            @Override
            CompletableFuture<?> begin(CouchJobs jobs, Database database) {
                return jobs.resultAsync(PRINT, "p", LONG);
            }
        },
        CHANGES {
            @Override
            CompletableFuture<?> begin(CouchJobs jobs, Database database) {
                return jobs.changes()
                        .now(database)
                        .thenCompose(now -> jobs.changes().await(PRINT, now, LONG));
            }
        },
        ANY_CHANGES {
            @Override
            CompletableFuture<?> begin(CouchJobs jobs, Database database) {
                return jobs.changes()
                        .now(database)
                        .thenCompose(now -> jobs.changes().await(now, LONG));
            }
        };

        abstract CompletableFuture<?> begin(CouchJobs jobs, Database database);
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatWaitsEndsWithTheDatabase(Call call) {
        time.await(jobs.add(
                database, NewJob.of(PRINT, "p").id("p").at(time.instant().plus(Duration.ofDays(2)))));
        CompletableFuture<?> waiting = call.begin(jobs, database);
        time.advance(Duration.ofSeconds(1));
        assertThat(waiting).isNotDone();

        database.close();

        assertEnds(waiting);
    }

    /** Each is begun while another that is alike has learnt that the database is closed. */
    @ParameterizedTest
    @EnumSource
    void aCallAfterTheDatabaseWasClosedDoesNotWait(Call call) {
        CompletableFuture<?> before = call.begin(jobs, database);
        time.advance(Duration.ofSeconds(1));
        database.close();
        time.advance(Duration.ofHours(1));
        before.cancel(false);

        assertEnds(begin(call));
    }

    private CompletableFuture<?> begin(Call call) {
        try {
            return call.begin(jobs, database);
        } catch (RuntimeException e) { // the database itself throws
            return CompletableFuture.failedFuture(e);
        }
    }
}
