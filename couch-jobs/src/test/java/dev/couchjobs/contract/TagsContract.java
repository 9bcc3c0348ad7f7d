package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobSelection;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Retention;
import dev.couchjobs.Schedule;
import dev.couchjobs.SelectionProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs are found by their tags for as long as they are kept. */
class TagsContract extends JobsContract {
    private static final PageRequest ALL = PageRequest.of(100);

    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private static NewJob<WorkData> job(String id, String... tags) {
        return NewJob.of(INDEX, new WorkData(1)).id(id).tags(tags);
    }

    private void put(NewJob<?>... newJobs) {
        await(jobs.addAll(database, List.of(newJobs)));
    }

    private List<String> tagged(String tag) {
        return await(jobs.listTagged(database, INDEX, tag, ALL)).items().stream()
                .map(JobSummary::jobId)
                .toList();
    }

    @Test
    void jobsAreFoundByTheirTags() {
        put(job("j1", "eu", "import"), job("j2", "eu"), job("j3"));

        assertThat(tagged("eu")).containsExactly("j1", "j2");
        assertThat(tagged("import")).containsExactly("j1");
        assertThat(tagged("us")).isEmpty();
        assertThat(await(jobs.getJob(database, INDEX, "j1")).orElseThrow().tags())
                .containsExactly("eu", "import");
    }

    @Test
    void aJobIsFoundInAnyStateAndUntilItIsRemoved() {
        put(job("j1", "eu"));
        assertThat(accept().id()).isEqualTo("j1");
        assertThat(tagged("eu")).containsExactly("j1");

        await(jobs.control().cancel(database, INDEX, "j1", "no need"));
        assertThat(tagged("eu")).containsExactly("j1");

        await(jobs.remove(database, INDEX, "j1"));
        assertThat(tagged("eu")).isEmpty();
        assertThat(rows.under("tags")).isEmpty();
    }

    @Test
    void aJobThatNothingKeepsIsNotFound() {
        JobType<WorkData, Void> vanishing =
                JobType.of(INDEX.name(), WorkData.class).retention(Retention.of(Duration.ZERO));
        put(job("j1", "eu"));

        await(jobs.processor()
                .finish(database, await(jobs.processor().accept(vanishing)).orElseThrow()));

        assertThat(rows.under("tags")).isEmpty();
    }

    @Test
    void aJobThatIsAddedAgainHasItsNewTags() {
        put(job("j1", "eu", "import"));

        put(job("j1", "import", "us"));

        assertThat(tagged("eu")).isEmpty();
        assertThat(tagged("import")).containsExactly("j1");
        assertThat(tagged("us")).containsExactly("j1");
    }

    @Test
    void pagesFollowOneAnother() {
        put(IntStream.range(0, 25).mapToObj(i -> job("j" + (10 + i), "eu")).toArray(NewJob<?>[]::new));

        Page<JobSummary> first = await(jobs.listTagged(database, INDEX, "eu", PageRequest.of(20)));
        Page<JobSummary> second = await(jobs.listTagged(
                database, INDEX, "eu", PageRequest.of(20).after(first.next().orElseThrow())));

        assertThat(first.items()).hasSize(20);
        assertThat(second.items()).extracting(JobSummary::jobId).containsExactly("j30", "j31", "j32", "j33", "j34");
        assertThat(second.next()).isEmpty();
    }

    @Test
    void operatorsSelectByTag() {
        put(job("j1", "eu"), job("j2", "us"));

        await(jobs.control().select(INDEX, job -> job.tags().contains("eu")).cancel("the region has moved"));

        assertThat(await(jobs.counts(database, INDEX)).cancelled()).isEqualTo(1);
        assertThat(accept().id()).isEqualTo("j2");
    }

    @Test
    void aSelectionByTagReadsOnlyTheJobsWithTheTag() {
        put(IntStream.range(0, 250).mapToObj(i -> job("j" + (100 + i), "eu")).toArray(NewJob<?>[]::new));
        put(IntStream.range(0, 250).mapToObj(i -> job("k" + i, "us")).toArray(NewJob<?>[]::new));
        JobSelection<WorkData, ?> even =
                jobs.control().select(INDEX, job -> job.id().endsWith("0")).tagged("eu");

        assertThat(await(even.cancel("the region has moved")))
                .isEqualTo(new SelectionProgress(250, 25, Optional.empty()));

        assertThat(await(jobs.counts(database, INDEX)).cancelled()).isEqualTo(25);
        SelectionProgress half = new SelectionProgress(200, 20, Optional.of("j299"));
        assertThat(await(even.resume(half).count())).isEqualTo(new SelectionProgress(250, 25, Optional.empty()));
        assertThat(await(even.tagged("asia").count()).read()).isZero();
        assertThatThrownBy(() -> even.tagged("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tagsJoinTheTransactionOfTheCaller() {
        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, job("j1", "eu")));
            assertThat(await(jobs.listTagged(tx, INDEX, "eu", ALL)).items())
                    .extracting(JobSummary::jobId)
                    .containsExactly("j1");
        }

        assertThat(tagged("eu")).isEmpty();
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void theFirstTagKeepsOlderVersionsOut() {
        put(job("j1", "eu"));

        assertThat(rows.value("layout")).containsExactly(12L, 11L, 12L, "", "", "", 1L << 11);
    }

    @Test
    void badInputIsRefused() {
        NewJob<WorkData> job = job("j1");
        for (String tag : List.of("", "x".repeat(20_000))) {
            assertThatThrownBy(() -> job.tags(tag))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("A tag has 1 to 500 bytes");
        }
        assertThatThrownBy(() ->
                        job.tags(IntStream.range(0, 11).mapToObj(i -> "tag" + i).toArray(String[]::new)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 10 tags; these are 11");
        assertThatThrownBy(() -> jobs.listTagged(database, INDEX, "", ALL))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Schedule.every(
                        "s",
                        Duration.ofMinutes(1),
                        NewJob.of(INDEX, new WorkData(1)).tags("eu")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave out tags");
    }
}
