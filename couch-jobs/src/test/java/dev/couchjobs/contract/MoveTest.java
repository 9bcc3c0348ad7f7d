package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsMove;
import dev.couchjobs.JobsMoveException;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.TemporaryDirectories;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Moves between embedded databases. */
class MoveTest {
    private static final JobType<WorkData, ?> INDEX = JobType.of("index", WorkData.class);

    @Nested
    class InMemory extends MoveContract {
        @Override
        Database openSource() {
            return EmbeddedDatabase.openInMemory();
        }

        @Override
        Database openTarget() {
            return EmbeddedDatabase.openInMemory();
        }
    }

    @Nested
    class FromDisk extends MoveContract {
        @Override
        Database openSource() {
            return EmbeddedDatabase.open(TemporaryDirectories.fresh());
        }

        @Override
        Database openTarget() {
            return EmbeddedDatabase.openInMemory();
        }
    }

    @Test
    void aTargetOfEarlierVersionsIsRefusedUntilItIsAdvanced() {
        Path directory = TemporaryDirectories.fresh();
        try (Database source = EmbeddedDatabase.openInMemory();
                CouchJobs jobs = CouchJobs.on(source)) {
            Futures.await(jobs.types().setTypeTimeout(source, INDEX, Duration.ofSeconds(1)));
            Throwable refusal;
            try (Database target = EmbeddedDatabase.open(directory)) {
                refusal = Futures.failureOf(
                        JobsMove.of(source, target, directory.toString()).finish());
            }
            assertThat(refusal).isInstanceOf(JobsMoveException.class).hasMessageContaining("advanceversion");
            Futures.await(jobs.add(source, INDEX, "j1", new WorkData(1)));

            try (Database target = EmbeddedDatabase.openAfter(directory, advised(refusal));
                    CouchJobs moved = CouchJobs.on(target)) {
                Futures.await(JobsMove.of(source, target, directory.toString()).finish());
                assertThat(Futures.await(moved.getJobData(target, INDEX, "j1"))).contains(new WorkData(1));
            }
        }
    }

    /** {@return the version that a refusal names} */
    private static long advised(Throwable refusal) {
        Matcher version =
                Pattern.compile("openAfter\\(directory, (\\d+)L\\)").matcher(String.valueOf(refusal.getMessage()));
        assertThat(version.find()).isTrue();
        return Long.parseLong(version.group(1));
    }

    /** An embedded database that was killed continues up to an hour later; here a minute has passed as well. */
    @Test
    void anAdvancedTargetIsAheadOfASourceThatWasKilledMeanwhile() {
        Path from = TemporaryDirectories.fresh();
        Path to = TemporaryDirectories.fresh();
        long killedAt;
        Throwable refusal;
        try (Database source = EmbeddedDatabase.open(from);
                Database target = EmbeddedDatabase.open(to)) {
            killedAt = Futures.await(source.readAsync(tx -> tx.getReadVersion()));
            refusal =
                    Futures.failureOf(JobsMove.of(source, target, to.toString()).finish());
        }

        try (Database source = EmbeddedDatabase.openAfter(from, killedAt + TimeUnit.MINUTES.toMicros(61));
                Database target = EmbeddedDatabase.openAfter(to, advised(refusal))) {
            Futures.await(JobsMove.of(source, target, to.toString()).finish());
        }
    }
}
