package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Processes that never live for as long as the feed keeps changes, which is ten minutes. */
class RestartedProcessesTest {
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);
    private static final Subspace FEED = new Subspace(Tuple.from("couch_jobs", "feed", "mail"));
    private static final Duration LIFE = Duration.ofMinutes(5);
    private static final Duration LONGEST_KEPT = Duration.ofMinutes(10 + 60);

    private final VirtualStage stage = new VirtualStage(1);

    @AfterEach
    void end() {
        stage.close();
    }

    @Test
    void theyTrimTheFeed() {
        for (int process = 0; process < 60; process++) {
            live("job-" + process);
        }

        assertThat(changes()).isBetween(2, 2 + (int) LONGEST_KEPT.dividedBy(LIFE));
    }

    @Test
    void theyTrimNothingThatIsYoung() {
        int processes = (int) LONGEST_KEPT.dividedBy(LIFE) - 1;
        for (int process = 0; process < processes; process++) {
            live("job-" + process);
        }

        assertThat(changes()).isEqualTo(processes);
    }

    private void live(String jobId) {
        try (CouchJobs jobs = CouchJobs.builder(stage.database())
                .environment(stage.environment())
                .build()) {
            stage.await(jobs.add(stage.database(), MAIL, jobId, "x"));
            jobs.maintenance().monitor(MAIL);
            stage.time().advance(LIFE);
        }
    }

    private int changes() {
        return stage.database()
                .read(tx -> tx.getRange(FEED.range()).asList().join())
                .size();
    }
}
