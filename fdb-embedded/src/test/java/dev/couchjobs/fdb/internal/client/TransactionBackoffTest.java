package dev.couchjobs.fdb.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.internal.common.FdbError;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TransactionBackoffTest {
    private final TransactionBackoff backoff = new TransactionBackoff();

    @Test
    void delaysDoubleUpToTheLimit() {
        assertThat(delay(1)).isEqualTo(Duration.ofMillis(1));
        assertThat(delay(1)).isEqualTo(Duration.ofMillis(2));
        assertThat(delay(1)).isEqualTo(Duration.ofMillis(4));
        assertThat(delay(1)).isEqualTo(Duration.ofMillis(5));
        assertThat(delay(1)).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void jitterShortensADelayButNotTheNextOne() {
        assertThat(delay(0.5)).isEqualTo(Duration.ofNanos(500_000));
        assertThat(delay(1)).isEqualTo(Duration.ofMillis(2));
    }

    @Test
    void whoLosesOftenWaitsHardlyLongerThanOthers() {
        long longest = 0;
        for (int i = 0; i < 20; i++) {
            longest = Math.max(longest, backoff.nextDelayNanos(FdbError.NOT_COMMITTED, 1_000, 64, 1));
        }
        assertThat(Duration.ofNanos(longest)).isEqualTo(Duration.ofMillis(8));
    }

    @Test
    void manyContendersWaitLonger() {
        long longest = 0;
        for (int i = 0; i < 20; i++) {
            longest = Math.max(longest, backoff.nextDelayNanos(FdbError.NOT_COMMITTED, 1_000, 2_000, 1));
        }
        assertThat(Duration.ofNanos(longest)).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void otherErrorsWaitUpToTheLimit() {
        long longest = 0;
        for (int i = 0; i < 20; i++) {
            longest = Math.max(longest, backoff.nextDelayNanos(FdbError.COMMIT_PROXY_MEMORY_LIMIT, 1_000, 0, 1));
        }
        assertThat(Duration.ofNanos(longest)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void anOldReadVersionWaitsAShortFixedTime() {
        assertThat(backoff.nextDelayNanos(FdbError.TRANSACTION_TOO_OLD, 1_000, 0, 0.1))
                .isEqualTo(Duration.ofMillis(10).toNanos());
        assertThat(backoff.nextDelayNanos(FdbError.FUTURE_VERSION, 3, 0, 0.1))
                .isEqualTo(Duration.ofMillis(3).toNanos());
    }

    @Test
    void retriesAreCountedAgainstTheLimit() {
        assertThat(backoff.mayRetry(2)).isTrue();
        assertThat(backoff.mayRetry(2)).isTrue();
        assertThat(backoff.mayRetry(2)).isFalse();
        assertThat(backoff.mayRetry(TransactionSettings.UNLIMITED_RETRIES)).isTrue();
    }

    @Test
    void onlyRetryableErrorsAreRetried() {
        assertThat(TransactionBackoff.retries(FdbError.NOT_COMMITTED)).isTrue();
        assertThat(TransactionBackoff.retries(FdbError.COMMIT_UNKNOWN_RESULT)).isTrue();
        assertThat(TransactionBackoff.retries(FdbError.TRANSACTION_TIMED_OUT)).isFalse();
        assertThat(TransactionBackoff.retries(FdbError.CLUSTER_VERSION_CHANGED)).isFalse();
        assertThat(TransactionBackoff.retries(null)).isFalse();
    }

    private Duration delay(double jitter) {
        return Duration.ofNanos(backoff.nextDelayNanos(FdbError.NOT_COMMITTED, 5, 1, jitter));
    }
}
