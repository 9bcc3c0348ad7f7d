package dev.couchjobs.internal.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Rate;
import dev.couchjobs.internal.data.LimitShards;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The shares of a limit add up to it, and a claim uses a shard where jobs may run. */
class SplitTest {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    @Property
    void sharesAddUpToTheLimit(@ForAll @IntRange(min = 1, max = 100_000) int limit) {
        int[] shares = Split.shares(limit);

        assertThat(IntStream.of(shares).sum()).isEqualTo(limit);
        assertThat(IntStream.of(shares).min().orElseThrow()).isPositive();
        assertThat(shares).hasSizeLessThanOrEqualTo(LimitShards.MAX);
    }

    @Property
    void partsAddUpToTheRate(
            @ForAll @IntRange(min = 1, max = 1_000_000) int starts, @ForAll @IntRange(max = 1_000_000) int burst) {
        List<Rate> parts = Split.parts(new Rate(starts, PERIOD, burst));

        assertThat(parts.stream().mapToInt(Rate::starts).sum()).isEqualTo(starts);
        assertThat(parts.stream().mapToInt(Rate::burst).sum()).isEqualTo(burst);
        assertThat(parts).allMatch(part -> (part.burst() == 0) == (burst == 0));
    }

    @Property
    void aClaimUsesItsHomeOrAnotherShardThatAllowsJobs(
            @ForAll @Size(min = 1, max = 16) List<@IntRange(max = 2) Integer> unused,
            @ForAll @IntRange(max = 15) int home,
            @ForAll long seed) {
        int[] counts = unused.stream().mapToInt(Integer::intValue).toArray();
        int chosen = Split.choose(new Allowance.Home(home, new Random(seed)), counts);

        int first = home % counts.length;
        if (counts[first] > 0 || IntStream.of(counts).sum() == 0) {
            assertThat(chosen).isEqualTo(first);
        } else {
            assertThat(counts[chosen]).isPositive();
        }
    }
}
