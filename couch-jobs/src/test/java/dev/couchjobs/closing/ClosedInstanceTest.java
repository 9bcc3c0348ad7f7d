package dev.couchjobs.closing;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import dev.couchjobs.Subscription;
import dev.couchjobs.Unique;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.testing.Application;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When an application has closed what it opened, no thread of the library is left, and no class of the application. */
class ClosedInstanceTest {
    @ParameterizedTest
    @ValueSource(
            classes = {
                Orderly.class,
                WorkerLeftOpen.class,
                InDirectory.class,
                DatabaseFirst.class,
                DatabaseFirstOfHandlers.class
            })
    void anApplicationWithTheLibraryLeavesNothing(Class<?> application, @TempDir Path directory) {
        Application.withAllClasses(application).assertLeavesNothing(directory);
    }

    /** The static state of the library holds nothing of the application. */
    @ParameterizedTest
    @ValueSource(
            classes = {
                Orderly.class,
                WorkerLeftOpen.class,
                InDirectory.class,
                DatabaseFirst.class,
                DatabaseFirstOfHandlers.class
            })
    void anApplicationBesideTheLibraryLeavesNothing(Class<?> application, @TempDir Path directory) {
        for (int i = 0; i < 2; i++) {
            Application.withOwnClasses(application).assertLeavesNothing(directory);
        }
    }

    public record Letter(String to, List<Line> lines) {}

    public record Line(String text) {}

    public record Receipt(int lines) {}

    private static final JobType<Letter, Receipt> MAIL = JobType.of("mail", Letter.class, Receipt.class);

    public static class Orderly implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = open(database);
                    Worker worker = work(jobs)) {
                use(database, jobs);
                assertThat(worker.stuckSlots()).isZero();
            }
        }
    }

    public static class InDirectory implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (Database database = Databases.directory(directory.resolve("jobs"));
                    CouchJobs jobs = open(database);
                    Worker worker = work(jobs)) {
                use(database, jobs);
                assertThat(worker.stuckSlots()).isZero();
            }
        }
    }

    /** The instance ends its workers. */
    public static class WorkerLeftOpen implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            Worker worker;
            try (Database database = Databases.inMemory()) {
                try (CouchJobs jobs = open(database)) {
                    worker = work(jobs);
                    use(database, jobs);
                }
                worker.close();
            }
        }
    }

    /** What stands on a database that is closed ends at once: sooner than it waits for one that is slow. */
    public static class DatabaseFirst implements Consumer<Path> {
        static final Duration PROMPTLY = Duration.ofSeconds(8);

        @Override
        public void accept(Path directory) {
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = open(database);
                    Worker worker = work(jobs)) {
                use(database, jobs);
                closeNow(database);
                assertThat(worker.closeAsync()).succeedsWithin(PROMPTLY);
            }
        }

        static void closeNow(Database database) {
            database.close();
        }
    }

    /** Two handlers run when the database is closed. One ends before the worker is closed, and one after it. */
    public static class DatabaseFirstOfHandlers implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            CountDownLatch begun = new CountDownLatch(2);
            CompletableFuture<Receipt> earlier = new CompletableFuture<>();
            CompletableFuture<Receipt> later = new CompletableFuture<>();
            try (Database database = Databases.inMemory();
                    CouchJobs jobs = open(database);
                    Worker worker = jobs.worker()
                            .concurrency(2)
                            .handle(MAIL, job -> {
                                begun.countDown();
                                return (job.id().equals("earlier") ? earlier : later).get();
                            })
                            .start()) {
                for (String id : List.of("earlier", "later")) {
                    jobs.add(database, MAIL, id, new Letter("ann", List.of())).join();
                }
                await(begun);
                DatabaseFirst.closeNow(database);
                earlier.complete(new Receipt(0));
                CompletableFuture<Void> closed = worker.closeAsync();
                later.complete(new Receipt(0));
                assertThat(closed).succeedsWithin(DatabaseFirst.PROMPTLY);
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static CouchJobs open(Database database) {
        return CouchJobs.builder(database)
                .listener(new JobsListener() {})
                .middleware(new JobMiddleware() {})
                .build();
    }

    private static Worker work(CouchJobs jobs) {
        return jobs.worker()
                .handle(MAIL, job -> new Receipt(job.data().lines().size()))
                .schedule(Schedule.every("nightly", Duration.ofDays(1), NewJob.of(MAIL, new Letter("all", List.of()))))
                .start();
    }

    private static void use(Database database, CouchJobs jobs) {
        Letter letter = new Letter("ann", List.of(new Line("one"), new Line("two")));
        jobs.limits().set(database, MAIL, 2).join();
        jobs.add(database, MAIL, "a", letter).join();
        // A transaction of the application's, which the library does not end.
        database.run(tx -> {
            jobs.add(tx, NewJob.of(MAIL, letter).id("b").limitKey("ann").after(Dependency.on(MAIL, "a")))
                    .join();
            jobs.add(
                            tx,
                            NewJob.of(MAIL, letter)
                                    .id("d")
                                    .sequence("ann")
                                    .tags("spring")
                                    .turnKey("ann"))
                    .join();
            jobs.add(tx, NewJob.of(MAIL, letter).unique(Unique.byData())).join();
            return jobs.add(tx, MAIL, "c", letter).join();
        });
        try (Subscription<Letter> subscription =
                jobs.subscribe(database, MAIL, "c").join()) {
            CompletableFuture<?> unused = subscription.awaitEvent(Duration.ofMinutes(10));
            for (String id : List.of("a", "b", "c", "d")) {
                assertThat(jobs.result(MAIL, id, Duration.ofMinutes(1))).isEqualTo(new Receipt(2));
            }
        }
        jobs.health().check().join();
    }
}
