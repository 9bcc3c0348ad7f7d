package dev.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.BlockedCommonPool;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Jobs are added, run, tried again and waited for while every worker of the common pool is blocked. */
class JobsCommonPoolTest {

    @Test
    void jobsDoNotDependOnTheCommonPool() throws Exception {
        assertThat(BlockedCommonPool.run(Main.class)).endsWith("\n9\n").startsWith("0\n");
    }

    /** One job fails once, and the other depends on it. */
    static final class Main {
        private static final JobType<Integer, Integer> SQUARE = JobType.of("square", Integer.class, Integer.class)
                .retry(RetryPolicy.standard().backoff(Duration.ZERO, 1, Duration.ZERO));

        private Main() {}

        public static void main(String[] arguments) {
            BlockedCommonPool.block();
            try (Database database = EmbeddedDatabase.openInMemory();
                    CouchJobs jobs = CouchJobs.builder(database).build()) {
                jobs.types()
                        .setTypeTimeout(database, SQUARE, Duration.ofSeconds(30))
                        .join();
                String first = jobs.add(database, NewJob.of(SQUARE, 2)).join().jobId();
                String second = jobs.add(database, NewJob.of(SQUARE, 3).after(SQUARE, first))
                        .join()
                        .jobId();
                Worker worker = jobs.worker().handle(SQUARE, Main::square).start();
                int square =
                        jobs.resultAsync(SQUARE, second, Duration.ofMinutes(1)).join();
                worker.close();
                System.out.println(square);
            }
        }

        private static Integer square(JobContext<Integer> job) {
            if (job.data() == 2 && job.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
            job.progress(1, 2, "squaring");
            return job.data() * job.data();
        }
    }
}
