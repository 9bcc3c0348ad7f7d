package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** To list the running jobs costs what runs, however many jobs there are. */
class RunningJobsTest {
    private static final int AT_ONCE = 500;
    /** Of the rows of the index, where there are more than can be read for one page. */
    private static final int INDEX_ROWS_MAX = 1_000;

    private final MeasuredStage stage = new MeasuredStage(5, MAIL);
    private final CouchJobs jobs = stage.builder(stage.measured()).build();
    private final List<String> running = new ArrayList<>();

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private void add(int count) {
        for (int from = 0; from < count; from += AT_ONCE) {
            stage.await(stage.others()
                    .addAll(
                            stage.database(),
                            IntStream.range(from, Math.min(count, from + AT_ONCE))
                                    .mapToObj(i -> NewJob.of(MAIL, DATA).id(CostFixture.id(i)))
                                    .toList()));
        }
    }

    private Job<String> claim() {
        Job<String> job = stage.await(stage.others().processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
        running.add(job.id());
        return job;
    }

    /** {@return the ids of all pages} */
    private List<String> listed(int limit) {
        List<String> ids = new ArrayList<>();
        Optional<PageRequest> request = Optional.of(PageRequest.of(limit));
        while (request.isPresent()) {
            Page<JobSummary> page = stage.await(jobs.list(stage.measured(), MAIL, JobState.RUNNING, request.get()));
            page.items().forEach(job -> ids.add(job.jobId()));
            request = page.next().map(PageRequest.of(limit)::after);
        }
        return ids;
    }

    private int keysRead() {
        return Cost.of(stage.tries()).keysRead();
    }

    @Test
    void threeOfTenThousandAreReadByTheIndex() {
        add(10_000);
        IntStream.range(0, 3).forEach(i -> claim());
        stage.forget();

        assertThat(listed(100))
                .containsExactlyElementsOf(running.stream().sorted().toList());

        assertThat(stage.tries()).hasSize(1);
        assertThat(keysRead()).isLessThanOrEqualTo(10);
    }

    /** So each page goes on behind the last id of the one before, wherever a job is in the index by then. */
    @Test
    void aJobThatIsHeardOfBetweenTwoPagesIsListedOnce() {
        add(10);
        List<Job<String>> claimed = IntStream.range(0, 5).mapToObj(i -> claim()).toList();
        PageRequest two = PageRequest.of(2);
        Page<JobSummary> first = stage.await(jobs.list(stage.measured(), MAIL, JobState.RUNNING, two));
        claimed.forEach(job -> stage.await(stage.others().processor().update(stage.database(), job)));

        Page<JobSummary> second = stage.await(jobs.list(
                stage.measured(),
                MAIL,
                JobState.RUNNING,
                PageRequest.of(10).after(first.next().orElseThrow())));

        assertThat(first.items())
                .extracting(JobSummary::jobId)
                .containsExactlyElementsOf(running.stream().sorted().limit(2).toList());
        assertThat(second.items())
                .extracting(JobSummary::jobId)
                .containsExactlyElementsOf(running.stream().sorted().skip(2).toList());
        assertThat(second.next()).isEmpty();
    }

    @Test
    void moreThanThePageOfTheIndexAreListedAsWell() {
        add(1_200);
        IntStream.range(0, 1_100).forEach(i -> claim());

        assertThat(listed(400))
                .containsExactlyElementsOf(running.stream().sorted().toList());
    }

    /** Each page finds anew that the index is too long, and then looks at jobs by id: it may be shorter by then. */
    @Test
    void aPageOfTenThousandReadsABoundedNumberOfKeys() {
        add(10_000);
        IntStream.range(0, 10_000).forEach(i -> claim());
        stage.forget();

        assertThat(listed(100))
                .containsExactlyElementsOf(running.stream().sorted().toList());

        assertThat(stage.tries()).allMatch(each -> each.cost().keysRead() <= INDEX_ROWS_MAX + 2);
        assertThat(stage.tries()).hasSizeLessThanOrEqualTo(2 * (10_000 / 100 + 1));
    }
}
