package dev.couchjobs.internal.feature;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The next claim follows as soon as any source of jobs, or any limit, says so. */
class RestTest {
    private static final Rest SOON = Rest.until(OptionalLong.of(10));
    private static final Rest LATER = Rest.until(OptionalLong.of(20));
    private static final Rest BRIEF = Rest.atMost(Duration.ofSeconds(1));
    private static final Rest LONG = Rest.atMost(Duration.ofSeconds(5));

    @Test
    void theEarliestOfAllCounts() {
        Rest rest = List.of(LATER, BRIEF, Rest.NONE, LONG, SOON).stream().reduce(Rest.NONE, Rest::and);

        assertThat(rest.isAtOnce()).isFalse();
        assertThat(rest.nextDue()).hasValue(10);
        assertThat(rest.pauseMax()).contains(Duration.ofSeconds(1));
    }

    @Test
    void nothingIsEarlierThanAtOnce() {
        assertThat(SOON.and(Rest.AT_ONCE)).isEqualTo(Rest.AT_ONCE);
        assertThat(Rest.AT_ONCE.and(BRIEF)).isEqualTo(Rest.AT_ONCE);
    }

    @Test
    void aRestIsNoneOnlyIfAllAre() {
        assertThat(Rest.NONE.and(Rest.NONE)).isEqualTo(Rest.NONE);
        assertThat(Rest.NONE.and(SOON)).isEqualTo(SOON);
    }
}
