package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.Job;
import dev.couchjobs.JobReason;
import dev.couchjobs.JobReason.Kind;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Why a job does not run. A claim agrees: it takes a job only if nothing keeps it. */
class WhyContract extends JobsContract {
    private static final Rate HOURLY = Rate.perWindow(1, Duration.ofHours(1));

    private JobReason why(String jobId) {
        return await(jobs.details().why(database, INDEX, jobId)).orElseThrow();
    }

    private static NewJob<WorkData> job(String jobId) {
        return NewJob.of(INDEX, new WorkData(1)).id(jobId);
    }

    private void add(NewJob<WorkData> job) {
        await(jobs.add(database, job));
    }

    private Optional<Job<WorkData>> claim() {
        return await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private void claimed(String jobId) {
        assertThat(claim().orElseThrow().id()).isEqualTo(jobId);
    }

    /** Adds the job {@code j}, and what keeps it. */
    private void arrange(Kind kind) {
        switch (kind) {
            case ENDED -> {
                add(job("j"));
                await(jobs.processor().finish(database, claim().orElseThrow()));
            }
            case RUNNING -> {
                add(job("j"));
                claimed("j");
            }
            case DEPENDENCIES -> {
                add(job("first"));
                claimed("first");
                add(job("j").after(INDEX, "first"));
            }
            case SEQUENCE -> {
                add(job("first").sequence("s"));
                claimed("first");
                add(job("j").sequence("s"));
            }
            case BATCH -> {
                await(jobs.batches().open(database, Batch.of("b").closing(job("j"))));
                add(job("first").batch("b"));
                claimed("first");
            }
            case RETRY -> {
                add(job("j"));
                await(jobs.processor().fail(database, claim().orElseThrow(), "no", true));
            }
            case SCHEDULED -> add(job("j").at(Instant.now().plus(Duration.ofHours(1))));
            case DEADLINE -> add(job("j").startBefore(Instant.now().minusSeconds(1)));
            case TYPE_PAUSED -> {
                add(job("j"));
                await(jobs.types().pause(database, INDEX, "a disk is full"));
            }
            case KEY_PAUSED -> {
                add(job("j").limitKey("k"));
                await(jobs.limits().pause(database, INDEX, "k"));
            }
            case KEY_RATE -> {
                await(jobs.limits().setRate(database, INDEX, "k", HOURLY));
                add(job("first").limitKey("k"));
                claimed("first");
                add(job("j").limitKey("k"));
            }
            case KEY_LIMIT -> {
                await(jobs.limits().set(database, INDEX, "k", 1));
                add(job("first").limitKey("k"));
                claimed("first");
                add(job("j").limitKey("k"));
            }
            case TYPE_LIMIT -> {
                await(jobs.limits().setTotal(database, INDEX, 1));
                add(job("first"));
                claimed("first");
                add(job("j"));
            }
            case TYPE_RATE -> {
                await(jobs.limits().setRate(database, INDEX, HOURLY));
                add(job("first"));
                claimed("first");
                add(job("j"));
            }
            case WORKER -> add(job("j"));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aClaimTakesTheJobOnlyIfNothingKeepsIt(Kind kind) {
        arrange(kind);

        JobReason reason = why("j");
        assertThat(reason.kind()).as(reason.text()).isEqualTo(kind);
        assertThat(reason.text()).endsWith(kind == Kind.TYPE_PAUSED ? ": a disk is full" : ".");
        assertThat(claim().map(Job::id)).isEqualTo(kind == Kind.WORKER ? Optional.of("j") : Optional.empty());
    }

    @Test
    void theTimeIsGivenWhenAReasonEndsByItself() {
        arrange(Kind.KEY_RATE);

        assertThat(why("j").until().orElseThrow())
                .isBetween(Instant.now(), Instant.now().plus(Duration.ofHours(1)));
    }

    @Test
    void aJobThatIsNotThereHasNoReason() {
        assertThat(await(jobs.details().why(database, INDEX, "j"))).isEmpty();
    }

    /** Some jobs with random keys, and random rules for these. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whatIsKeptByNothingIsClaimedAndNothingElse(long seed) {
        Random random = new Random(seed);
        List<String> keys = List.of("a", "b", "c");
        for (String key : keys) {
            if (random.nextInt(3) > 0) {
                await(jobs.limits().set(database, INDEX, key, 1 + random.nextInt(2)));
            }
            if (random.nextInt(4) == 0) {
                await(jobs.limits().pause(database, INDEX, key));
            }
            if (random.nextInt(4) == 0) {
                await(jobs.limits().setRate(database, INDEX, key, Rate.perWindow(2, Duration.ofHours(1))));
            }
        }
        if (random.nextInt(3) == 0) {
            await(jobs.limits().setTotal(database, INDEX, 1 + random.nextInt(5)));
        }
        if (random.nextInt(3) == 0) {
            await(jobs.limits().setRate(database, INDEX, Rate.perWindow(1 + random.nextInt(5), Duration.ofHours(1))));
        }
        for (int i = 0; i < 12; i++) {
            NewJob<WorkData> job = job("j" + i);
            add(random.nextInt(4) == 0 ? job : job.limitKey(keys.get(random.nextInt(keys.size()))));
        }
        while (true) {
            Map<String, Kind> before = kinds();
            Optional<Job<WorkData>> claimed = claim();
            if (claimed.isEmpty()) {
                assertThat(before).doesNotContainValue(Kind.WORKER);
                return;
            }
            assertThat(before).containsEntry(claimed.get().id(), Kind.WORKER);
        }
    }

    private Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new TreeMap<>();
        for (int i = 0; i < 12; i++) {
            kinds.put("j" + i, why("j" + i).kind());
        }
        return kinds;
    }
}
