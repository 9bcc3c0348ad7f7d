package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Feature A4: {@code set_type_timeout} and {@code get_type_timeout}; which types there are, on every node. */
class TypeTimeoutsContract extends JobsContract {
    private static final JobType<WorkData, ?> NEW = JobType.of("new", WorkData.class);

    @Test
    void aTypeHasTheTimeoutThatWasSet() {
        await(jobs.types().setTypeTimeout(database, NEW, Duration.ofSeconds(2)));
        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).contains(Duration.ofSeconds(2));

        await(jobs.types().setTypeTimeout(database, NEW, Duration.ofDays(400)));
        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).contains(Duration.ofDays(400));
    }

    @Test
    void aTypeThatWasNeverSetHasNoTimeout() {
        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).isEmpty();
    }

    @Test
    void theTypesAreThoseThatHaveATimeout() {
        assertThat(await(jobs.types().getTypes(database))).containsExactly("index", "mail");

        await(jobs.types().setTypeTimeout(database, NEW, Duration.ofSeconds(2)));
        assertThat(await(jobs.types().getTypes(database))).containsExactly("index", "mail", "new");

        await(jobs.types().clearTypeTimeout(database, NEW));
        assertThat(await(jobs.types().getTypes(database))).containsExactly("index", "mail");
        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).isEmpty();
    }

    @Test
    void anotherInstanceSeesTypesComeAndGo() {
        CouchJobs other = node();
        assertThat(await(other.types().getTypeTimeout(database, NEW))).isEmpty();

        await(jobs.types().setTypeTimeout(database, NEW, Duration.ofSeconds(2)));
        await(other.add(database, NEW, "j1", new WorkData(1)));
        assertThat(await(other.types().getTypeTimeout(database, NEW))).contains(Duration.ofSeconds(2));

        await(jobs.types().clearTypeTimeout(database, NEW));
        assertThat(await(other.types().getTypeTimeout(database, NEW))).isEmpty();
    }

    @Test
    void aTimeoutThatWasSetCountsAndNotThatOfTheJobType() {
        await(jobs.types().setTypeTimeout(database, NEW, Duration.ofSeconds(2)));

        await(jobs.add(database, NEW.activityTimeout(Duration.ofSeconds(60)), "j1", new WorkData(1)));

        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).contains(Duration.ofSeconds(2));
    }

    @Test
    void aClearedTimeoutComesBackWithTheNextJob() {
        await(jobs.types().setTypeTimeout(database, NEW, Duration.ofSeconds(2)));
        await(jobs.types().clearTypeTimeout(database, NEW));

        await(jobs.add(database, NEW, "j1", new WorkData(1)));

        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).contains(NEW.activityTimeout());
    }

    @Test
    void manyFirstJobsAtATimeAreAllAdded() {
        List<CompletableFuture<AddResult>> all = IntStream.range(0, 20)
                .mapToObj(number -> jobs.add(database, NEW, "j" + number, new WorkData(1)))
                .toList();

        all.forEach(added -> await(added));
        assertThat(await(jobs.counts(database, NEW)).pending()).isEqualTo(20);
    }

    @Test
    void aTimeoutThatIsSetWhileTheFirstJobIsAddedIsKept() {
        try (Transaction first = database.createTransaction()) {
            await(jobs.add(first, NEW, "j1", new WorkData(1)));
            await(jobs.types().setTypeTimeout(database, NEW, Duration.ofSeconds(2)));

            assertThat(failureOf(first.commit())).isInstanceOf(FDBException.class);
        }
        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).contains(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.999S", "PT1.5S"})
    void aJobTypeRefusesATimeoutThatIsNoWholeNumberOfSeconds(String timeout) {
        assertThatThrownBy(() -> NEW.activityTimeout(Duration.parse(timeout)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole number of seconds");
    }

    @Test
    void nothingIsCachedBetweenCalls() {
        CouchJobs other = node();
        await(other.add(database, INDEX, "j1", new WorkData(1)));

        for (int seconds = 1; seconds <= 3; seconds++) {
            await(jobs.types().setTypeTimeout(database, INDEX, Duration.ofSeconds(seconds)));
            assertThat(await(other.types().getTypeTimeout(database, INDEX))).contains(Duration.ofSeconds(seconds));
        }
    }

    @Test
    void theJobsOfAClearedTypeStay() {
        add("j1", 1);

        await(jobs.types().clearTypeTimeout(database, INDEX));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        await(jobs.processor().finish(database, accept()));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();
    }

    @Test
    void aTimeoutSetInATransactionCountsWithinIt() {
        commit(tx -> {
            await(jobs.types().setTypeTimeout(tx, NEW, Duration.ofSeconds(2)));
            await(jobs.add(tx, NEW, "j1", new WorkData(1)));
        });

        assertThat(await(jobs.getJobState(database, NEW, "j1"))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aTimeoutSetInATransactionThatIsGivenUpWasNeverSet() {
        try (Transaction tx = database.createTransaction()) {
            await(jobs.types().setTypeTimeout(tx, NEW, Duration.ofSeconds(2)));
        }

        assertThat(await(jobs.types().getTypeTimeout(database, NEW))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.999S", "PT1.5S"})
    void aTimeoutIsAWholeNumberOfSeconds(String timeout) {
        assertThatThrownBy(() -> jobs.types().setTypeTimeout(database, NEW, Duration.parse(timeout)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole number of seconds");
    }

    @Test
    void aTypeHasANameOfOneToFiveHundredBytes() {
        JobType<WorkData, ?> longest = JobType.of("é".repeat(250), WorkData.class);
        await(jobs.types().setTypeTimeout(database, longest, Duration.ofSeconds(2)));
        await(jobs.add(database, longest, "é".repeat(500), new WorkData(1)));
        assertThat(await(jobs.getJobState(database, longest, "é".repeat(500)))).isEqualTo(JobState.PENDING);

        assertThatThrownBy(() -> JobType.of("é".repeat(250) + "x", WorkData.class))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JobType.of("", WorkData.class)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTimeoutThatNoMonitorCouldCountIsRefused() {
        assertThatThrownBy(() -> jobs.types().setTypeTimeout(database, INDEX, Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3,650 days");
    }
}
