package dev.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.testing.Application;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a kit is closed, no thread of it is left, and no class of the tests that used it. */
class ClosedKitTest {
    @Test
    void aTestWithTheKitLeavesNothing(@TempDir Path directory) {
        Application.withAllClasses(Testing.class).assertLeavesNothing(directory);
    }

    /** The static state of the kit holds nothing of the test. */
    @Test
    void aTestBesideTheKitLeavesNothing(@TempDir Path directory) {
        for (int i = 0; i < 2; i++) {
            Application.withOwnClasses(Testing.class).assertLeavesNothing(directory);
        }
    }

    @Test
    void aKitWhoseDatabaseWasClosedBeforeLeavesNothing(@TempDir Path directory) {
        Application.withOwnClasses(DatabaseFirst.class).assertLeavesNothing(directory);
    }

    public record Letter(String to) {}

    public record Receipt(String from) {}

    private static final JobType<Letter, Receipt> MAIL = JobType.of("mail", Letter.class, Receipt.class)
            .retry(RetryPolicy.standard().attempts(2));

    /** Leaves a worker open, a job that is due later, and one that waits for its next attempt. */
    public static class Testing implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            try (JobsTestKit kit = JobsTestKit.with(jobs -> jobs.listener(new JobsListener() {}))) {
                kit.work(worker -> worker.handle(MAIL, job -> receipt(job.data())));
                kit.jobs().add(kit.database(), MAIL, "a", new Letter("ann")).join();
                kit.jobs().add(kit.database(), MAIL, "b", new Letter("")).join();
                kit.runDue();
                assertThat(kit.result(MAIL, "a")).isEqualTo(new Receipt("ann"));
                NewJob<Letter> later =
                        NewJob.of(MAIL, new Letter("cid")).at(kit.now().plus(Duration.ofDays(1)));
                kit.jobs().add(kit.database(), later).join();
                kit.assertEnqueued(MAIL, new Letter("cid"));
            }
        }

        static Receipt receipt(Letter letter) {
            if (letter.to().isEmpty()) {
                throw new IllegalStateException("no name");
            }
            return new Receipt(letter.to());
        }
    }

    /** Closes the database of the kit, whose worker waits for jobs then. */
    public static class DatabaseFirst implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            JobsTestKit kit = JobsTestKit.forTypes(MAIL);
            kit.work(worker -> worker.handle(MAIL, job -> Testing.receipt(job.data())));
            kit.jobs().add(kit.database(), MAIL, "a", new Letter("ann")).join();
            kit.runDue();
            kit.database().close();
            Instant before = kit.now();
            kit.close();
            assertThat(Duration.between(before, kit.now())).isLessThan(Duration.ofSeconds(8));
        }
    }
}
