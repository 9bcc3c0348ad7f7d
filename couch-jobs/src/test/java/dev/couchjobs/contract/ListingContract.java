package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Feature A3, for many jobs at once: a listing in pages, instead of a fold over all of them in one transaction. */
class ListingContract extends JobsContract {

    private static JobSummary line(String jobId, JobState state) {
        return new JobSummary(jobId, state, Optional.empty());
    }

    @Test
    void aTypeWithoutJobsHasAnEmptyListing() {
        assertThat(all(database, INDEX)).isEmpty();
    }

    @Test
    void allStatesAreListedInTheOrderOfTheIds() {
        await(jobs.processor().finish(database, accepted("finished", 1)));
        accepted("running", 1);
        add("pending", 1);
        addAt("later", 1, NOON);

        assertThat(all(database, INDEX))
                .containsExactly(
                        line("finished", JobState.FINISHED),
                        new JobSummary("later", JobState.PENDING, Optional.of(NOON)),
                        line("pending", JobState.PENDING),
                        line("running", JobState.RUNNING));
    }

    @Test
    void eachTypeHasAListingOfItsOwn() {
        add("j1", 1);
        await(jobs.add(database, MAIL, "j2", new WorkData(1)));
        accept();

        assertThat(all(database, INDEX)).containsExactly(line("j1", JobState.RUNNING));
        assertThat(all(database, MAIL)).containsExactly(line("j2", JobState.PENDING));
    }

    private List<String> idsOfAllPages(Function<PageRequest, CompletableFuture<Page<JobSummary>>> listing, int limit) {
        List<String> all = new ArrayList<>();
        Optional<PageRequest> page = Optional.of(PageRequest.of(limit));
        while (page.isPresent()) {
            Page<JobSummary> read = await(listing.apply(page.get()));
            assertThat(read.items()).hasSizeLessThanOrEqualTo(limit);
            read.items().forEach(job -> all.add(job.jobId()));
            page = read.next().map(PageRequest.of(limit)::after);
        }
        return all;
    }

    private List<String> idsIn(JobState state, int limit) {
        return idsOfAllPages(page -> jobs.list(database, INDEX, state, page), limit);
    }

    @Test
    void pagesOfAllJobsAreInTheOrderOfTheIdsHoweverLongTheyAre() {
        addMany(25);
        List<String> ids =
                IntStream.range(0, 25).mapToObj(i -> "j" + i).sorted().toList();

        for (int limit : List.of(1, 5, 7, 25, 1_000)) {
            assertThat(idsOfAllPages(page -> jobs.list(database, INDEX, page), limit))
                    .isEqualTo(ids);
        }
    }

    @Test
    void pendingJobsAreListedInTheOrderInWhichTheyAreQueued() {
        await(jobs.addAll(
                database,
                List.of(
                        NewJob.of(INDEX, new WorkData(1)).id("low").priority(-1),
                        NewJob.of(INDEX, new WorkData(1)).id("plain 2"),
                        NewJob.of(INDEX, new WorkData(1)).id("plain 1"),
                        NewJob.of(INDEX, new WorkData(1)).id("plain later").at(NOON),
                        NewJob.of(INDEX, new WorkData(1))
                                .id("high later")
                                .priority(9)
                                .at(NOON),
                        NewJob.of(INDEX, new WorkData(1)).id("high").priority(1),
                        NewJob.of(INDEX, new WorkData(1)).id("highest").priority(2))));
        await(jobs.add(database, MAIL, "other", new WorkData(1)));

        for (int limit : List.of(1, 2, 3, 7, 100)) {
            assertThat(idsIn(JobState.PENDING, limit))
                    .containsExactly("highest", "high", "plain 1", "plain 2", "plain later", "low", "high later");
        }
    }

    @Test
    void jobsInOneStateAreFoundAmongManyOthers() {
        List<String> running = List.of(accepted("m", 1).id(), accepted("a", 1).id());
        await(jobs.processor().finish(database, accepted("z", 1)));
        addMany(1_200);

        assertThat(idsIn(JobState.RUNNING, 10)).containsExactlyInAnyOrderElementsOf(running);
        assertThat(idsIn(JobState.FINISHED, 10)).containsExactly("z");
        assertThat(idsIn(JobState.PENDING, 500)).hasSize(1_200);
    }

    @Test
    void aContinuationIsKeptWhileJobsComeAndGo() {
        addMany(10);
        Page<JobSummary> first = await(jobs.list(database, INDEX, JobState.PENDING, PageRequest.of(4)));
        String continuation = first.next().orElseThrow();
        await(jobs.remove(database, INDEX, "j3"));
        await(jobs.remove(database, INDEX, "j5"));
        add("j33", 1);

        Page<JobSummary> second = await(node().list(
                        database, INDEX, JobState.PENDING, PageRequest.of(10).after(continuation)));

        assertThat(second.items()).extracting(JobSummary::jobId).containsExactly("j33", "j4", "j6", "j7", "j8", "j9");
        assertThat(second.next()).isEmpty();
    }

    @Test
    void aListingGoesOnOnlyFromItsOwnContinuations() {
        addMany(3);
        String ofAll =
                await(jobs.list(database, INDEX, PageRequest.of(1))).next().orElseThrow();
        String ofPending = await(jobs.list(database, INDEX, JobState.PENDING, PageRequest.of(1)))
                .next()
                .orElseThrow();

        for (String wrong : List.of("", "j1", "%%%", ofAll.substring(1), ofAll, "AAAA")) {
            assertThatThrownBy(() -> jobs.list(
                            database, INDEX, JobState.PENDING, PageRequest.of(1).after(wrong)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> jobs.list(
                        database, INDEX, JobState.RUNNING, PageRequest.of(1).after(ofPending)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.list(database, MAIL, PageRequest.of(1).after(ofAll)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unchanged");
    }

    @Test
    void aPageHasItsLimits() {
        assertThatThrownBy(() -> PageRequest.of(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PageRequest.of(1_001)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.list(database, INDEX, PageRequest.of(1).newestFirst()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.list(database, INDEX, JobState.NOT_FOUND, PageRequest.of(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void pagesInATransactionSeeWhatThatTransactionDid() {
        Job<WorkData> job = accepted("b", 1);
        add("d", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, job));
            await(jobs.remove(tx, INDEX, "d"));
            await(jobs.add(tx, NewJob.of(INDEX, new WorkData(1)).id("c").priority(3)));

            assertThat(await(jobs.list(tx, INDEX, JobState.RUNNING, PageRequest.of(10)))
                            .items())
                    .containsExactly(line("b", JobState.RUNNING));
            assertThat(await(jobs.list(tx, INDEX, JobState.PENDING, PageRequest.of(10)))
                            .items())
                    .containsExactly(line("c", JobState.PENDING));
        });
    }

    @Test
    void aListingInATransactionSeesWhatThatTransactionDid() {
        Job<WorkData> job = accepted("b", 1);
        add("d", 1);
        add("e", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, job, new WorkData(2)));
            await(jobs.remove(tx, INDEX, "e"));
            await(jobs.add(tx, INDEX, "a", new WorkData(1)));
            await(jobs.add(tx, INDEX, "c", new WorkData(1)));

            assertThat(all(tx, INDEX))
                    .containsExactly(
                            line("a", JobState.PENDING),
                            line("b", JobState.RUNNING),
                            line("c", JobState.PENDING),
                            line("d", JobState.PENDING));
            PageRequest two = PageRequest.of(2);
            String afterB = await(jobs.list(tx, INDEX, two)).next().orElseThrow();
            assertThat(await(jobs.list(tx, INDEX, two.after(afterB))).items())
                    .containsExactly(line("c", JobState.PENDING), line("d", JobState.PENDING));
        });
    }

    @Test
    void aListingInATransactionGoesThroughThousandsOfJobsThatItAdded() {
        int count = 3_000;
        try (Transaction tx = database.createTransaction()) {
            await(CompletableFuture.allOf(IntStream.range(0, count)
                    .mapToObj(i -> jobs.add(tx, INDEX, "j" + i, new WorkData(i)))
                    .toArray(CompletableFuture<?>[]::new)));

            assertThat(all(tx, INDEX)).hasSize(count);
        }
    }
}
