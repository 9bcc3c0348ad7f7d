package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobCounts;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Feature F7: counts by state, exact in every transaction that looks. */
class CountsContract extends JobsContract {

    private JobCounts counts() {
        return await(jobs.counts(database, INDEX));
    }

    private static JobCounts are(long pending, long running, long succeeded) {
        return new JobCounts(pending, 0, running, succeeded, 0, 0, 0);
    }

    @Test
    void aTypeWithoutJobsHasNone() {
        assertThat(counts()).isEqualTo(are(0, 0, 0));
        assertThat(counts().total()).isZero();
    }

    @Test
    void everyVerbChangesTheCountsWithTheJob() {
        add("j1", 1);
        assertThat(counts()).isEqualTo(are(1, 0, 0));
        add("j1", 2);
        assertThat(counts()).isEqualTo(are(1, 0, 0));
        Job<WorkData> job = accept();
        assertThat(counts()).isEqualTo(are(0, 1, 0));
        await(jobs.processor().update(database, job, new WorkData(3)));
        await(jobs.processor().resubmit(database, job));
        assertThat(counts()).isEqualTo(are(0, 1, 0));
        await(jobs.processor().finish(database, job));
        assertThat(counts()).isEqualTo(are(1, 0, 0));
        await(jobs.processor().finish(database, accept()));
        assertThat(counts()).isEqualTo(are(0, 0, 1));
        add("j1", 4);
        assertThat(counts()).isEqualTo(are(1, 0, 0));
        await(jobs.remove(database, INDEX, "j1"));
        assertThat(counts()).isEqualTo(are(0, 0, 0));
    }

    @Test
    void batchesAreCountedJobByJob() {
        await(jobs.addAll(
                database,
                IntStream.range(0, 300)
                        .mapToObj(i -> NewJob.of(INDEX, new WorkData(i)).priority(i % 3 - 1))
                        .toList()));
        assertThat(counts()).isEqualTo(are(300, 0, 0));

        List<CompletableFuture<Optional<Job<WorkData>>>> calls = IntStream.range(0, 120)
                .mapToObj(i -> jobs.processor().accept(INDEX))
                .toList();
        calls.forEach(JobsContract::await);

        assertThat(counts()).isEqualTo(are(180, 120, 0));
    }

    @Test
    void aJobThatFallsSilentIsPendingAgain() {
        accepted("j1", 1);

        awaitSilence(INDEX, List.of(subscribe("j1")));

        assertThat(counts()).isEqualTo(are(1, 0, 0));
    }

    @Test
    void aJobOfWhichNothingIsKeptIsNotCounted() {
        var vanishing = INDEX.retention(Retention.of(Duration.ZERO));
        await(jobs.add(database, vanishing, "j1", new WorkData(1)));

        await(jobs.processor()
                .finish(database, await(jobs.processor().accept(vanishing)).orElseThrow()));

        assertThat(counts().total()).isZero();
    }

    @Test
    void aTransactionCountsWhatItDidItself() {
        add("j1", 1);
        commit(tx -> {
            await(jobs.add(tx, INDEX, "j2", new WorkData(1)));
            await(jobs.remove(tx, INDEX, "j1"));
            await(jobs.add(tx, INDEX, "j3", new WorkData(1)));

            assertThat(await(jobs.counts(tx, INDEX))).isEqualTo(are(2, 0, 0));
        });
        assertThat(counts()).isEqualTo(are(2, 0, 0));
    }

    @Test
    void whoDecidesByTheCountsConflictsWithWhoChangesThemUnlessHeOnlyLooks() {
        try (Transaction decides = database.createTransaction();
                Transaction looks = database.createTransaction()) {
            await(jobs.counts(decides, INDEX));
            await(jobs.counts(looks.snapshot(), INDEX));
            decides.set(key("decides"), new byte[0]);
            looks.set(key("looks"), new byte[0]);
            add("j1", 1);

            assertThat(failureOf(decides.commit())).hasMessageContaining("not committed");
            await(looks.commit());
        }
    }

    @Test
    void countsStayExactWhenManyChangeThemAtOnce() {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(jobs.add(database, INDEX, "j" + i, new WorkData(i)));
            if (i % 3 == 0) {
                all.add(jobs.processor()
                        .accept(INDEX)
                        .thenCompose(job -> jobs.processor().finish(database, job.orElseThrow())));
            }
        }
        all.forEach(JobsContract::await);

        assertThat(counts()).isEqualTo(are(40, 0, 20));
    }
}
