package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobTallyTest {
    private final JobTally tally = new JobTally();

    @Test
    void everyRunAfterTheFirstIsOneTooMany() {
        assertThat(tally.next(4)).isZero();
        IntStream.of(2, 0, 2, 4, 2).forEach(tally::run);
        assertThat(tally.begun()).isEqualTo(2);
        assertThat(tally.doubled())
                .as("2 has run three times, and 4 was not added")
                .isEqualTo(3);
        assertThat(tally.last(1)).containsExactly(0);
        assertThat(tally.last(5)).containsExactly(2, 0);
    }

    @Test
    void ofManyJobsThoseThatBeganLastAreKnown() {
        int jobs = JobTally.RECENT + 2;
        assertThat(tally.next(jobs)).isZero();
        IntStream.range(0, jobs).forEach(tally::run);
        assertThat(tally.last(jobs))
                .containsExactlyElementsOf(IntStream.range(2, jobs).boxed().toList());
    }

    @Test
    void awaitReturnsWhetherAllHaveBegun() throws InterruptedException {
        assertThat(tally.next(2)).isZero();
        tally.run(0);
        assertThat(tally.await(1, 0)).isTrue();
        assertThat(tally.await(2, 0)).isFalse();
    }
}
