package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.costs.MeasuredDatabase;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A process whose clock is ahead takes a job that is scheduled for later for one that no process takes. */
class ClockAheadTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int OTHERS = 10;

    @Test
    void oneClockThatIsAheadCostsTheOtherProcessesLittle() {
        int right = triesOfOthers(Duration.ZERO);
        int ahead = triesOfOthers(Duration.ofDays(1));

        int looksAtLeases = (int) Duration.ofHours(1).dividedBy(TIMEOUT.dividedBy(4)) * OTHERS;
        assertThat(ahead).as("with a right clock " + right).isLessThan(looksAtLeases + 2 * right);
    }

    /** What others try in an hour that have nothing to do, beside one with such a clock. */
    private static int triesOfOthers(Duration ahead) {
        try (VirtualStage stage = new VirtualStage(5)) {
            Environment right = stage.environment();
            Environment wrong =
                    new Environment(InstantSource.offset(right.clock(), ahead), right.scheduler(), right.random());
            CouchJobs client =
                    CouchJobs.builder(stage.database()).environment(right).build();
            stage.await(client.types().setTypeTimeout(stage.database(), MAIL, TIMEOUT));
            MeasuredDatabase way = new MeasuredDatabase(stage.database(), stage.time());
            CouchJobs monitor =
                    CouchJobs.builder(stage.database()).environment(wrong).build();
            monitor.maintenance().monitor(MAIL);
            stage.await(client.add(
                    stage.database(),
                    NewJob.of(MAIL, "data").id("a").at(right.clock().instant().plus(Duration.ofHours(12)))));
            stage.time().advance(TIMEOUT);
            List<CouchJobs> others = Stream.generate(() -> CouchJobs.builder(way.asDatabase())
                            .environment(right)
                            .build())
                    .limit(OTHERS)
                    .toList();
            others.forEach(each -> each.worker()
                    .handleAsync(MAIL, job -> CompletableFuture.completedFuture("done"))
                    .executor(stage.time())
                    .start());
            stage.time().advance(Duration.ofMinutes(10));
            way.forget();
            stage.time().advance(Duration.ofHours(1));
            int tries = way.tries().size();
            others.forEach(CouchJobs::close);
            monitor.close();
            client.close();
            return tries;
        }
    }
}
