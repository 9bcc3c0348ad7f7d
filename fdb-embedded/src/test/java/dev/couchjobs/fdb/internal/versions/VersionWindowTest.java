package dev.couchjobs.fdb.internal.versions;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class VersionWindowTest {
    private final AtomicLong nanos = new AtomicLong(-77);
    private final AtomicLong ceiling = new AtomicLong(Long.MAX_VALUE);
    private final VersionWindow versions = new VersionWindow(
            new VersionClock(nanos::get, VersionWindow.FIRST_VERSION),
            new Snapshot(VersionWindow.FIRST_VERSION, MemoryContents.EMPTY),
            ceiling::get);

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
        versions.publish(reserved, with("a"));
        assertThat(versions.latest().version()).isGreaterThanOrEqualTo(reserved);
        assertThat(keys(versions.latest())).isEqualTo(1);
    }

    @Test
    void aReaderWhoComesDuringTheFirstCommitAfterAQuietTimeIsNotTooOld() {
        pass(Duration.ofSeconds(6));
        long reserved = versions.reserve();

        long read = versions.latest().version();

        assertThat(read).isLessThan(reserved);
        assertThat(versions.isTooOld(read)).isFalse();
        versions.publish(reserved, with("a"));
    }

    @Test
    void aNamedVersionSeesExactlyWhatWasCommittedByThen() {
        long first = commit("a");
        pass(Duration.ofSeconds(1));
        long second = commit("b");
        assertThat(keys(versions.at(first))).isEqualTo(1);
        assertThat(keys(versions.at(second - 1))).isEqualTo(1);
        assertThat(keys(versions.at(second))).isEqualTo(2);
    }

    @Test
    void aVersionOlderThanFiveSecondsIsGone() {
        long first = commit("a");
        pass(Duration.ofSeconds(5));
        assertThat(keys(versions.at(first))).isEqualTo(1);
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

    @Test
    void readersStayBelowAllThatIsReserved() {
        long first = versions.reserve();
        long second = versions.reserve();
        assertThat(second).isGreaterThan(first);
        versions.publish(first, with("a"));
        pass(Duration.ofSeconds(1));
        assertThat(versions.latest().version()).isEqualTo(first);
        versions.publish(second, with("b"));
        assertThat(versions.latest().version()).isGreaterThan(second);
    }

    @Test
    void whatIsAbandonedHoldsUpNobody() {
        long before = versions.latest().version();
        versions.abandon(versions.reserve());
        pass(Duration.ofSeconds(1));
        assertThat(versions.latest().version()).isEqualTo(before + 1_000_000);
        assertThat(keys(versions.latest())).isZero();
    }

    @Test
    void readVersionsStopAtTheCeiling() {
        long before = versions.latest().version();
        ceiling.set(before + 5_000);
        pass(Duration.ofSeconds(1));
        assertThat(versions.latest().version()).isEqualTo(before + 5_000);
        ceiling.set(Long.MAX_VALUE);
        assertThat(versions.latest().version()).isEqualTo(before + 1_000_000);
    }

    private Edit with(String name) {
        MemoryContents newest = (MemoryContents) versions.newest().contents();
        Edit edit = new MemoryContents.MemoryEdit(newest.map());
        edit.set(key(name), key("1"));
        return edit;
    }

    private static int keys(Snapshot snapshot) {
        return ((MemoryContents) snapshot.contents()).map().size();
    }

    private long commit(String name) {
        long version = versions.reserve();
        versions.publish(version, with(name));
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
