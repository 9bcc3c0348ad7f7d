package dev.couchjobs.costs;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.JavaProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker whose heap cannot hold as many large jobs as it has slots runs fewer at once, and all of them. */
@Timeout(120)
@Tag("processes")
class LargeJobsInSmallHeapTest {
    private static final int JOBS = 24;
    private static final int CHARACTERS = 7_900_000;
    private static final int SLOTS = 32;
    /** As many as fit into an eighth of 512 MB. */
    private static final int AT_ONCE_MAX = 8;

    @TempDir
    private Path directory;

    /** A process with such a worker. It says how many jobs have run at once, and how many have failed. */
    public static final class LargeJobs {
        private static final JobType<String, Integer> TYPE = JobType.of("large", String.class, Integer.class)
                .retry(RetryPolicy.standard().attempts(1));

        private LargeJobs() {}

        /**
         * Runs the jobs.
         *
         * @param arguments the directory of the database
         */
        public static void main(String[] arguments) throws InterruptedException {
            AtomicInteger running = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(JOBS);
            try (Database database = EmbeddedDatabase.open(Path.of(arguments[0]));
                    CouchJobs jobs = CouchJobs.on(database)) {
                for (int i = 0; i < JOBS; i++) {
                    jobs.add(database, TYPE, "j" + i, "x".repeat(CHARACTERS)).join();
                }
                try (Worker worker = jobs.worker()
                        .handleAsync(TYPE, job -> {
                            String data = job.data();
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            return CompletableFuture.supplyAsync(
                                    () -> {
                                        running.decrementAndGet();
                                        done.countDown();
                                        return data.length();
                                    },
                                    CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS));
                        })
                        .concurrency(SLOTS)
                        .start()) {
                    done.await();
                    System.out.println("stuck: " + worker.stuckSlots());
                }
                System.out.println("at once: " + most.get());
                System.out.println(jobs.counts(database, TYPE).join().succeeded() + " succeeded");
            }
        }
    }

    @Test
    void runsFewerAtOnceAndAllOfThem() throws Exception {
        String said = JavaProgram.run(
                List.of("-Xmx512m"), LargeJobs.class, directory.resolve("data").toString());

        assertThat(said).startsWith("0\n").doesNotContain("OutOfMemoryError").contains(JOBS + " succeeded");
        assertThat(said).containsPattern("at once: [1-" + AT_ONCE_MAX + "]\\R");
    }
}
