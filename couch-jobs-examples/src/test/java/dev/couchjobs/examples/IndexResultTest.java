package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class IndexResultTest {
    private static final Totals TOTALS = new Totals(2, Map.of("red", 2L, "green", 1L));

    private static IndexResult result(Totals plain, long finishes, int returns) {
        return new IndexResult(TOTALS, plain, 2, finishes, 4, 3, 1, returns, Map.of());
    }

    @Test
    void aRunThatWentWellTakesTwoLines() {
        IndexResult result = result(TOTALS, 2, 1);

        assertThat(result.isRight()).isTrue();
        assertThat(result.summary().lines())
                .containsExactly(
                        "2 files, 3 words; processor 3 of 4 died with 1 job;",
                        "all jobs finished, none twice; a plain count agrees with the index.");
    }

    @Test
    void jobsOfSlowProcessorsHaveALineOfTheirOwn() {
        assertThat(result(TOTALS, 2, 3).summary().lines())
                .containsExactly(
                        "2 files, 3 words; processor 3 of 4 died with 1 job;",
                        "2 jobs came back from processors that were too slow;",
                        "all jobs finished, none twice; a plain count agrees with the index.");
    }

    @Test
    void anIndexThatDiffersFromThePlainCountIsWrong() {
        IndexResult result = result(new Totals(2, Map.of("red", 2L)), 2, 1);

        assertThat(result.isRight()).isFalse();
        assertThat(result.summary())
                .endsWith("A PLAIN COUNT DIFFERS: 2 files, 2 words, 1 different ones instead of 2.");
    }

    @Test
    void aJobThatWasFinishedTwiceIsWrong() {
        IndexResult result = result(TOTALS, 3, 1);

        assertThat(result.isRight()).isFalse();
        assertThat(result.summary()).contains("2 jobs WERE FINISHED 3 TIMES");
    }
}
