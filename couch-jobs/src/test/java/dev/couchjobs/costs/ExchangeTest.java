package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The commit that ends a job claims the one that it lets begin. */
class ExchangeTest {
    private static final int JOBS = 40;
    private static final Duration ROUND_TRIP = Duration.ofMillis(5);
    private static final Duration HANDLER = Duration.ofMillis(100);

    private final MeasuredStage stage = new MeasuredStage(11, MAIL, ROUND_TRIP);
    private final CouchJobs jobs = stage.builder(stage.measured()).build();
    private int atOnce;
    private int mostAtOnce;

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    /** What lets one job run at a time. */
    private enum OneAtATime {
        LIMIT_KEY,
        SEQUENCE,
        TYPE_LIMIT,
        SLOT;

        NewJob<String> job(int number) {
            NewJob<String> job = NewJob.of(MAIL, "data").id("job-%02d".formatted(number));
            return switch (this) {
                case LIMIT_KEY -> job.limitKey("one");
                case SEQUENCE -> job.sequence("one");
                case TYPE_LIMIT, SLOT -> job;
            };
        }
    }

    private void limit(OneAtATime kind) {
        switch (kind) {
            case LIMIT_KEY -> stage.await(stage.others().limits().set(stage.database(), MAIL, "one", 1));
            case TYPE_LIMIT -> stage.await(stage.others().limits().setTotal(stage.database(), MAIL, 1));
            case SEQUENCE, SLOT -> {}
        }
    }

    private void startWorker(OneAtATime kind) {
        jobs.worker()
                .handleAsync(MAIL, job -> {
                    atOnce++;
                    mostAtOnce = Math.max(mostAtOnce, atOnce);
                    CompletableFuture<String> done = new CompletableFuture<>();
                    var unused = stage.time()
                            .schedule(
                                    () -> {
                                        atOnce--;
                                        done.complete("done");
                                    },
                                    HANDLER.toNanos(),
                                    TimeUnit.NANOSECONDS);
                    return done;
                })
                .executor(stage.time())
                .concurrency(kind == OneAtATime.SLOT ? 1 : 4)
                .start();
    }

    @ParameterizedTest
    @EnumSource(OneAtATime.class)
    void theCommitThatEndsAJobClaimsTheNext(OneAtATime kind) {
        limit(kind);
        List<NewJob<?>> all = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            all.add(kind.job(i));
        }
        stage.await(stage.others().addAll(stage.database(), all));
        stage.forget();

        startWorker(kind);
        stage.time().advance(Duration.ofMinutes(1));

        JobCounts counts = stage.await(stage.others().counts(stage.database(), MAIL));
        assertThat(counts.succeeded()).isEqualTo(JOBS);
        assertThat(mostAtOnce).isOne();
        assertThat(stage.tries().stream().filter(each -> each.cost().writes()))
                .as("commits that write")
                .hasSizeLessThan(JOBS + JOBS / 2);
    }
}
