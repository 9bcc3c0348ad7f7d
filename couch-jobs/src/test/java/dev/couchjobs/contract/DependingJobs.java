package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Subscription;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;

/** What tests of jobs that wait for others begin with. */
abstract class DependingJobs extends JobsContract {
    static final WorkData WORK = new WorkData(1);

    Fate.Hand hand;
    StoredRows rows;

    @BeforeEach
    void openHand() {
        hand = new Fate.Hand(jobs, database, Environment.system(), prefix);
        rows = new StoredRows(database, prefix);
    }

    static NewJob<WorkData> job(String jobId) {
        return NewJob.of(INDEX, WORK).id(jobId);
    }

    static NewJob<WorkData> mail(String jobId) {
        return NewJob.of(MAIL, WORK).id(jobId);
    }

    /** Dependencies of a job that fails if one of them does. */
    static List<Dependency> orFail(JobType<?, ?> type, String... jobIds) {
        return Stream.of(jobIds)
                .map(jobId -> Dependency.on(type, jobId).ifUnsuccessful(DependencyPolicy.FAIL))
                .toList();
    }

    final void awaitFinished(String mailId) {
        try (Subscription<WorkData> subscription = await(jobs.subscribe(database, MAIL, mailId))) {
            await(subscription.awaitEvent(JobState.FINISHED, LONG));
        }
        assertThat(await(jobs.getJobState(database, MAIL, mailId))).isEqualTo(JobState.FINISHED);
    }
}
