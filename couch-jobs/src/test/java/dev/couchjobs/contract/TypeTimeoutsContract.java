package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.TypeTimeoutMissingException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Feature A4: {@code set_type_timeout} and {@code get_type_timeout}; which types there are, on every node. */
class TypeTimeoutsContract extends JobsContract {
    private static final JobType<WorkData, ?> NEW = JobType.of("new", WorkData.class);

    @Test
    void aTypeHasTheTimeoutThatWasSet() {
        await(jobs.setTypeTimeout(database, NEW, Duration.ofSeconds(2)));
        assertThat(await(jobs.getTypeTimeout(database, NEW))).contains(Duration.ofSeconds(2));

        await(jobs.setTypeTimeout(database, NEW, Duration.ofDays(400)));
        assertThat(await(jobs.getTypeTimeout(database, NEW))).contains(Duration.ofDays(400));
    }

    @Test
    void aTypeThatWasNeverSetHasNoTimeout() {
        assertThat(await(jobs.getTypeTimeout(database, NEW))).isEmpty();
    }

    @Test
    void theTypesAreThoseThatHaveATimeout() {
        assertThat(await(jobs.getTypes(database))).containsExactly("index", "mail");

        await(jobs.setTypeTimeout(database, NEW, Duration.ofSeconds(2)));
        assertThat(await(jobs.getTypes(database))).containsExactly("index", "mail", "new");

        await(jobs.clearTypeTimeout(database, NEW));
        assertThat(await(jobs.getTypes(database))).containsExactly("index", "mail");
        assertThat(await(jobs.getTypeTimeout(database, NEW))).isEmpty();
    }

    @Test
    void anotherInstanceSeesTypesComeAndGo() {
        CouchJobs other = node();
        assertThat(failureOf(other.add(database, NEW, "j1", new WorkData(1))))
                .isInstanceOf(TypeTimeoutMissingException.class);

        await(jobs.setTypeTimeout(database, NEW, Duration.ofSeconds(2)));
        await(other.add(database, NEW, "j1", new WorkData(1)));
        assertThat(await(other.getTypeTimeout(database, NEW))).contains(Duration.ofSeconds(2));

        await(jobs.clearTypeTimeout(database, NEW));
        assertThat(await(other.getTypeTimeout(database, NEW))).isEmpty();
        assertThat(failureOf(other.add(database, NEW, "j2", new WorkData(1))))
                .isInstanceOf(TypeTimeoutMissingException.class);
    }

    @Test
    void nothingIsCachedBetweenCalls() {
        CouchJobs other = node();
        await(other.add(database, INDEX, "j1", new WorkData(1)));

        for (int seconds = 1; seconds <= 3; seconds++) {
            await(jobs.setTypeTimeout(database, INDEX, Duration.ofSeconds(seconds)));
            assertThat(await(other.getTypeTimeout(database, INDEX))).contains(Duration.ofSeconds(seconds));
        }
    }

    @Test
    void theJobsOfAClearedTypeStay() {
        add("j1", 1);

        await(jobs.clearTypeTimeout(database, INDEX));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        await(jobs.finish(database, accept()));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(await(jobs.remove(database, INDEX, "j1"))).isTrue();
    }

    @Test
    void aTimeoutSetInATransactionCountsWithinIt() {
        commit(tx -> {
            await(jobs.setTypeTimeout(tx, NEW, Duration.ofSeconds(2)));
            await(jobs.add(tx, NEW, "j1", new WorkData(1)));
        });

        assertThat(await(jobs.getJobState(database, NEW, "j1"))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aTimeoutSetInATransactionThatIsGivenUpWasNeverSet() {
        try (Transaction tx = database.createTransaction()) {
            await(jobs.setTypeTimeout(tx, NEW, Duration.ofSeconds(2)));
        }

        assertThat(await(jobs.getTypeTimeout(database, NEW))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.999S", "PT1.5S"})
    void aTimeoutIsAWholeNumberOfSeconds(String timeout) {
        assertThatThrownBy(() -> jobs.setTypeTimeout(database, NEW, Duration.parse(timeout)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole number of seconds");
    }

    @Test
    void aTypeHasANameOfOneToFiveHundredBytes() {
        JobType<WorkData, ?> longest = JobType.of("é".repeat(250), WorkData.class);
        await(jobs.setTypeTimeout(database, longest, Duration.ofSeconds(2)));
        await(jobs.add(database, longest, "é".repeat(500), new WorkData(1)));
        assertThat(await(jobs.getJobState(database, longest, "é".repeat(500)))).isEqualTo(JobState.PENDING);

        assertThatThrownBy(() -> JobType.of("é".repeat(250) + "x", WorkData.class))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JobType.of("", WorkData.class)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTimeoutThatNoMonitorCouldCountIsRefused() {
        assertThatThrownBy(() -> jobs.setTypeTimeout(database, INDEX, Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3,650 days");
    }
}
