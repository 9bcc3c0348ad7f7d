package dev.couchjobs.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PrefetchSizerTest {
    private static final int SLOTS = 16;
    private static final Duration CLAIM = Duration.ofMillis(25);

    private final PrefetchSizer sizer = new PrefetchSizer();

    @BeforeEach
    void takeTimes() {
        sizer.claimTook(CLAIM);
    }

    @Test
    void nothingIsClaimedAheadBeforeAJobHasEnded() {
        assertThat(sizer.size(SLOTS)).isZero();
    }

    @Test
    void asManyJobsAsTwoClaimsTakeAreClaimedAhead() {
        sizer.jobTook(CLAIM.multipliedBy(4));
        sizer.claimed(1_000);

        assertThat(sizer.size(SLOTS)).isEqualTo(SLOTS / 2);
    }

    @Test
    void ofShortJobsAHundredAreClaimedAhead() {
        sizer.jobTook(Duration.ofMillis(1));
        sizer.claimed(0);

        assertThat(sizer.size(SLOTS)).isEqualTo(100);
    }

    @Test
    void ofJobsWithMuchDataFewAreClaimedAhead() {
        sizer.jobTook(Duration.ofMillis(1));

        sizer.claimed(1_000_000);
        assertThat(sizer.size(SLOTS)).isEqualTo(10);

        for (int i = 0; i < 50; i++) {
            sizer.claimed(8_000_000);
        }
        assertThat(sizer.size(SLOTS)).isEqualTo(1);
    }
}
