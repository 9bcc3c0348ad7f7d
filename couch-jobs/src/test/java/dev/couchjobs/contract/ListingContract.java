package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Feature A3, for many jobs at once: a listing in pages, instead of a fold over all of them in one transaction. */
public abstract class ListingContract extends JobsContract {

    private List<JobSummary> list(ReadTransactionContext context) {
        return await(jobs.listJobs(context, INDEX, "", 100));
    }

    private static JobSummary line(String jobId, JobState state) {
        return new JobSummary(jobId, state, Optional.empty());
    }

    @Test
    void aTypeWithoutJobsHasAnEmptyListing() {
        assertThat(list(database)).isEmpty();
    }

    @Test
    void allStatesAreListedInTheOrderOfTheIds() {
        await(jobs.finish(database, accepted("finished", 1)));
        accepted("running", 1);
        add("pending", 1);
        addAt("later", 1, NOON);

        assertThat(list(database))
                .containsExactly(
                        line("finished", JobState.FINISHED),
                        new JobSummary("later", JobState.PENDING, Optional.of(NOON)),
                        line("pending", JobState.PENDING),
                        line("running", JobState.RUNNING));
    }

    @Test
    void eachTypeHasAListingOfItsOwn() {
        add("j1", 1);
        await(jobs.add(database, MAIL, "j2", new Work(1)));
        accept();

        assertThat(list(database)).containsExactly(line("j1", JobState.RUNNING));
        assertThat(await(jobs.listJobs(database, MAIL, "", 100))).containsExactly(line("j2", JobState.PENDING));
    }

    @Test
    void aListingGoesOnAfterAnyId() {
        addMany(25);

        List<String> all = new ArrayList<>();
        List<Integer> pages = new ArrayList<>();
        List<JobSummary> page = await(jobs.listJobs(database, INDEX, "", 10));
        while (!page.isEmpty()) {
            pages.add(page.size());
            page.forEach(job -> all.add(job.jobId()));
            page = await(jobs.listJobs(database, INDEX, all.get(all.size() - 1), 10));
        }

        assertThat(pages).containsExactly(10, 10, 5);
        assertThat(all)
                .isEqualTo(
                        IntStream.range(0, 25).mapToObj(i -> "j" + i).sorted().toList());
        assertThat(await(jobs.listJobs(database, INDEX, "j105", 1))).containsExactly(line("j11", JobState.PENDING));
    }

    @Test
    void aListingWithoutRoomIsRefused() {
        assertThatThrownBy(() -> jobs.listJobs(database, INDEX, "", 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aListingInATransactionSeesWhatThatTransactionDid() {
        Job<Work> job = accepted("b", 1);
        add("d", 1);
        add("e", 1);

        commit(tx -> {
            await(jobs.update(tx, job, new Work(2)));
            await(jobs.remove(tx, INDEX, "e"));
            await(jobs.add(tx, INDEX, "a", new Work(1)));
            await(jobs.add(tx, INDEX, "c", new Work(1)));

            assertThat(list(tx))
                    .containsExactly(
                            line("a", JobState.PENDING),
                            line("b", JobState.RUNNING),
                            line("c", JobState.PENDING),
                            line("d", JobState.PENDING));
            assertThat(await(jobs.listJobs(tx, INDEX, "a", 2)))
                    .containsExactly(line("b", JobState.RUNNING), line("c", JobState.PENDING));
        });
    }

    @Test
    void aListingInATransactionGoesThroughThousandsOfJobsThatItAdded() {
        int count = 3_000;
        try (Transaction tx = database.createTransaction()) {
            await(CompletableFuture.allOf(IntStream.range(0, count)
                    .mapToObj(i -> jobs.add(tx, INDEX, "j" + i, new Work(i)))
                    .toArray(CompletableFuture<?>[]::new)));

            assertThat(await(jobs.listJobs(tx, INDEX, "", count + 1))).hasSize(count);
        }
    }
}
