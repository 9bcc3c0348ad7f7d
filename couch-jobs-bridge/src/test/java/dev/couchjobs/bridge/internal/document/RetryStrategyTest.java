package dev.couchjobs.bridge.internal.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The thesis's {@code retry_strategy}: the number of retries and their pauses. */
class RetryStrategyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MINUTE = 60;
    private static final int MONTH = 30 * 24 * 60 * MINUTE;

    @Test
    void figure10RetriesThreeTimesWithoutAPause() {
        assertThat(pauses(
                        new RetryStrategy(3, Duration.ZERO, 2, Optional.of(Duration.ofSeconds(10)), Optional.empty())))
                .containsExactly(Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }

    @Test
    void pausesAreMultipliedByTheFactorUpToTheLongest() {
        assertThat(pauses(new RetryStrategy(5, SECOND, 3, Optional.of(Duration.ofSeconds(10)), Optional.empty())))
                .containsExactly(
                        SECOND,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(9),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10));
    }

    @Test
    void pausesAreAllTheSameWithoutAFactor() {
        assertThat(pauses(new RetryStrategy(3, SECOND, 1, Optional.empty(), Optional.empty())))
                .containsExactly(SECOND, SECOND, SECOND);
    }

    @Test
    void nothingIsRetriedUnlessTheStepSaysSo() {
        assertThat(pauses(RetryStrategy.none())).isEmpty();
    }

    @Test
    void noRetryBeginsAfterTheTimeIsUp() {
        RetryStrategy retry = new RetryStrategy(9, SECOND, 1, Optional.empty(), Optional.of(Duration.ofSeconds(10)));
        assertThat(retry.pauseAfter(1, Duration.ofSeconds(9))).contains(SECOND);
        assertThat(retry.pauseAfter(1, Duration.ofMillis(9_001))).isEmpty();
    }

    @Test
    void pausesDoNotGrowBeyondAllMeasure() {
        RetryStrategy retry = new RetryStrategy(Integer.MAX_VALUE, SECOND, 1e9, Optional.empty(), Optional.empty());
        assertThat(retry.pauseAfter(Integer.MAX_VALUE, SECOND)).contains(RetryStrategy.LONGEST);
        RetryStrategy none =
                new RetryStrategy(Integer.MAX_VALUE, Duration.ZERO, 1e9, Optional.empty(), Optional.empty());
        assertThat(none.pauseAfter(Integer.MAX_VALUE, SECOND)).contains(Duration.ZERO);
    }

    @Test
    void thereAreAsManyPausesAsRetriesAndNoneIsLongerThanTheLongestOrShorterThanTheOneBefore() {
        Samples.check(400, samples -> {
            RetryStrategy retry = SampleJobs.retry(samples);
            RetryStrategy untimed = new RetryStrategy(
                    retry.maxRetries(), retry.sleep(), retry.sleepFactor(), retry.sleepMax(), Optional.empty());
            List<Duration> pauses = pauses(untimed);
            assertThat(pauses).hasSize(retry.maxRetries()).isSorted();
            Duration longest = retry.sleepMax().orElse(RetryStrategy.LONGEST);
            assertThat(pauses).allMatch(pause -> pause.compareTo(longest) <= 0);
            if (!pauses.isEmpty() && retry.sleep().compareTo(longest) <= 0) {
                assertThat(pauses.get(0)).isEqualTo(retry.sleep());
            }
        });
    }

    @Test
    void aRetryBeginsWithinTheTimeOrNotAtAll() {
        Samples.check(400, samples -> {
            RetryStrategy retry = SampleJobs.retry(samples);
            int tries = samples.between(1, 25);
            int seconds = samples.between(0, samples.of(MINUTE, MONTH, Integer.MAX_VALUE));
            Duration since = Duration.ofSeconds(seconds);
            Optional<Duration> pause = retry.pauseAfter(tries, since);
            boolean isInTime = pause.isEmpty()
                    || retry.maxTime().isEmpty()
                    || since.plus(pause.get()).compareTo(retry.maxTime().get()) <= 0;
            assertThat(isInTime).isTrue();
        });
    }

    private static List<Duration> pauses(RetryStrategy retry) {
        List<Duration> pauses = new ArrayList<>();
        for (Optional<Duration> pause = retry.pauseAfter(1, Duration.ZERO);
                pause.isPresent();
                pause = retry.pauseAfter(pauses.size() + 1, Duration.ZERO)) {
            pauses.add(pause.get());
        }
        return pauses;
    }
}
