package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.Keys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class VersionWindowTest {
    private final AtomicLong nanos = new AtomicLong(-77);
    private final VersionWindow versions =
            VersionWindow.startingEmpty(new VersionClock(nanos::get, VersionWindow.FIRST_VERSION));

    @Test
    void readVersionsFollowTheClockWhenNobodyCommits() {
        long before = versions.latest().version();
        pass(Duration.ofSeconds(2));
        assertThat(versions.latest().version()).isEqualTo(before + 2_000_000);
    }

    @Test
    void commitVersionsGrowEvenWhenTheClockStands() {
        long first = commit("a");
        long second = commit("b");
        assertThat(second).isGreaterThan(first);
    }

    @Test
    void aReaderStaysBelowACommitThatIsBeingBuilt() {
        long reserved = versions.reserve();
        pass(Duration.ofSeconds(1));
        assertThat(versions.latest().version()).isLessThan(reserved);
        versions.publish(reserved, versions.committed().put(key("a"), key("1")));
        assertThat(versions.latest().version()).isGreaterThanOrEqualTo(reserved);
        assertThat(versions.latest().data().size()).isEqualTo(1);
    }

    @Test
    void aNamedVersionSeesExactlyWhatWasCommittedByThen() {
        long first = commit("a");
        pass(Duration.ofSeconds(1));
        long second = commit("b");
        assertThat(versions.at(first).data().size()).isEqualTo(1);
        assertThat(versions.at(second - 1).data().size()).isEqualTo(1);
        assertThat(versions.at(second).data().size()).isEqualTo(2);
    }

    @Test
    void aVersionOlderThanFiveSecondsIsGone() {
        long first = commit("a");
        pass(Duration.ofSeconds(5));
        assertThat(versions.at(first).data().size()).isEqualTo(1);
        pass(Duration.ofMillis(1));
        assertFailsWith(1007, () -> versions.at(first));
        commit("b");
        assertFailsWith(1007, () -> versions.at(first));
        assertFailsWith(1007, () -> versions.at(1));
    }

    @Test
    void aVersionStillToComeIsRefused() {
        long now = versions.latest().version();
        assertFailsWith(1009, () -> versions.at(now + 1));
        pass(Duration.ofMillis(1));
        assertThat(versions.at(now + 1).version()).isEqualTo(now + 1);
    }

    private long commit(String name) {
        long version = versions.reserve();
        versions.publish(version, versions.committed().put(key(name), key("1")));
        return version;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static void assertFailsWith(int code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FDBException.class, error -> assertThat(error.getCode()).isEqualTo(code));
    }
}
