package dev.couchjobs.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AttemptEnd;
import org.junit.jupiter.api.Test;

class ClaimEndTest {
    @Test
    void aReleaseIsStoredAsEarlierVersionsStoredIt() {
        assertThat(ClaimEnd.text(AttemptEnd.RELEASED)).isEqualTo("handed_back");
        assertThat(ClaimEnd.how("handed_back")).isEqualTo(AttemptEnd.RELEASED);
    }

    @Test
    void everyEndIsReadAsItWasStored() {
        assertThat(AttemptEnd.values())
                .allSatisfy(end -> assertThat(ClaimEnd.how(ClaimEnd.text(end))).isEqualTo(end));
    }
}
