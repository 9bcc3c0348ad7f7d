package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final Ledger ledger = new Ledger();

    @Test
    void everyRunAfterTheFirstIsOneTooMany() {
        assertThat(ledger.next(4)).isZero();
        IntStream.of(2, 0, 2, 4, 2).forEach(ledger::run);
        assertThat(ledger.begun()).isEqualTo(2);
        assertThat(ledger.doubled()).as("2 was run thrice, and 4 is nobody's").isEqualTo(3);
        assertThat(ledger.last(1)).containsExactly(0);
        assertThat(ledger.last(5)).containsExactly(2, 0);
    }

    @Test
    void ofManyJobsThoseThatBeganLastAreKnown() {
        int jobs = Ledger.RECENT + 2;
        assertThat(ledger.next(jobs)).isZero();
        IntStream.range(0, jobs).forEach(ledger::run);
        assertThat(ledger.last(jobs))
                .containsExactlyElementsOf(IntStream.range(2, jobs).boxed().toList());
    }

    @Test
    void whoeverWaitsIsToldWhetherAllHaveBegun() throws InterruptedException {
        assertThat(ledger.next(2)).isZero();
        ledger.run(0);
        assertThat(ledger.await(1, 0)).isTrue();
        assertThat(ledger.await(2, 0)).isFalse();
    }
}
