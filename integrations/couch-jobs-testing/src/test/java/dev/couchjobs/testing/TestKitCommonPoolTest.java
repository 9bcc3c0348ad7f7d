package dev.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.testing.BlockedCommonPool;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The kit runs a job and its retry while every worker of the common pool is blocked. */
class TestKitCommonPoolTest {

    @Test
    void theKitDoesNotDependOnTheCommonPool() throws Exception {
        assertThat(BlockedCommonPool.run(Main.class)).endsWith("\n9\n").startsWith("0\n");
    }

    /** A job that fails once. */
    static final class Main {
        private static final JobType<Integer, Integer> SQUARE = JobType.of("square", Integer.class, Integer.class)
                .retry(RetryPolicy.standard().backoff(Duration.ofMinutes(1), 1, Duration.ofMinutes(1)));

        private Main() {}

        public static void main(String[] arguments) {
            BlockedCommonPool.block();
            try (JobsTestKit kit = JobsTestKit.forTypes(SQUARE)) {
                kit.work(worker -> worker.handle(SQUARE, job -> {
                    if (job.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    return job.data() * job.data();
                }));
                kit.jobs().add(kit.database(), SQUARE, "j1", 3).join();
                kit.advance(Duration.ofMinutes(2));
                System.out.println(kit.result(SQUARE, "j1"));
            }
        }
    }
}
