package dev.couchjobs.internal.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Rate;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The shares of a limit add up to it, and a claim uses a shard where jobs may run. */
class SplitTest {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    @Test
    void sharesAddUpToTheLimit() {
        Samples.check(1_000, samples -> {
            int limit = samples.between(1, 100_000);

            int[] shares = Split.shares(limit);

            assertThat(IntStream.of(shares).sum()).isEqualTo(limit);
            assertThat(IntStream.of(shares).min().orElseThrow()).isPositive();
            assertThat(shares).hasSizeLessThanOrEqualTo(LimitShards.MAX);
        });
    }

    @Test
    void partsAddUpToTheRate() {
        Samples.check(1_000, samples -> {
            int starts = samples.between(1, 1_000_000);
            int burst = samples.between(0, 1_000_000);

            List<Rate> parts = Split.parts(new Rate(starts, PERIOD, burst));

            assertThat(parts.stream().mapToInt(Rate::starts).sum()).isEqualTo(starts);
            assertThat(parts.stream().mapToInt(Rate::burst).sum()).isEqualTo(burst);
            assertThat(parts).allMatch(part -> (part.burst() == 0) == (burst == 0));
        });
    }

    @Test
    void aClaimUsesItsHomeOrAnotherShardThatAllowsJobs() {
        Samples.check(1_000, samples -> {
            List<Integer> unused = samples.list(1, 16, each -> each.between(0, 2));
            int home = samples.between(0, 15);

            int[] counts = unused.stream().mapToInt(Integer::intValue).toArray();
            int chosen = Split.choose(new Allowance.Home(home, new Random(samples.seed())), counts);

            int first = home % counts.length;
            if (counts[first] > 0 || IntStream.of(counts).sum() == 0) {
                assertThat(chosen).isEqualTo(first);
            } else {
                assertThat(counts[chosen]).isPositive();
            }
        });
    }
}
