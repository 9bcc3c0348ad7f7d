package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitLogTest {
    private static final int SEGMENT = 1 << 14;

    private final List<String> appended = new ArrayList<>();

    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void createLog() throws IOException {
        CommitLog.create(directory, new SystemFiles(), SEGMENT);
    }

    @Test
    void whatWasAppendedIsReplayedInOrder() {
        try (CommitLog log = open()) {
            append(log, 5, 100);
            append(log, 6, 0);
            log.sync();
            append(log, 1_000, 5_000);
        }
        assertThat(replayed()).isEqualTo(appended);
    }

    @Test
    void aNewLogIsEmptyAndStandsAtZero() {
        try (CommitLog log = open()) {
            assertThat(log.lastVersion()).isZero();
        }
        assertThat(replayed()).isEmpty();
    }

    @Test
    void aLogGoesOnWhereItEnded() {
        for (int version = 1; version <= 40; version++) {
            try (CommitLog log = open()) {
                assertThat(log.lastVersion()).isEqualTo(version - 1);
                append(log, version, 900);
            }
        }
        assertThat(replayed()).isEqualTo(appended);
    }

    @Test
    void recordsMayBeLargerThanSegmentsAndThanTheBuffer() {
        try (CommitLog log = open()) {
            append(log, 1, SEGMENT);
            append(log, 2, 1_500_000);
            append(log, 3, 10);
            append(
                    log,
                    4,
                    SEGMENT
                            - SegmentLayout.RESERVE
                            - SegmentLayout.FIRST
                            - SegmentLayout.HEADER
                            - SegmentLayout.TRAILER);
        }
        assertThat(replayed()).isEqualTo(appended);
    }

    @Test
    void aReleasedLogIsSmallAndKnowsItsLastVersion() throws IOException {
        try (CommitLog log = open()) {
            for (int version = 1; version <= 100; version++) {
                append(log, version, 1_000);
            }
            assertThat(log.bytesHeld()).isBetween(100_000L, 120_000L);
            log.truncate(100);
            assertThat(log.bytesHeld()).isLessThan(SEGMENT);
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.count()).isLessThanOrEqualTo(2);
        }
        try (CommitLog log = open(100)) {
            assertThat(log.lastVersion()).isEqualTo(100);
        }
    }

    @Test
    void recordsAreKeptAsLongAsOneInTheirSegmentIsNeeded() {
        try (CommitLog log = open()) {
            for (int version = 1; version <= 100; version++) {
                append(log, version, 1_000);
            }
            log.truncate(50);
        }
        Records records = new Records();
        open(50, records).close();
        assertThat(appended).endsWith(records.list().toArray(new String[0]));
        assertThat(records.list()).containsAll(appended.subList(50, 100)).hasSizeLessThan(70);
    }

    @Test
    void versionsThatDoNotIncreaseAreRefused() {
        try (CommitLog log = open()) {
            append(log, 7, 1);
            assertThatThrownBy(() -> log.append(7, ByteBuffer.allocate(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("7");
            append(log, 8, 1);
        }
        assertThat(replayed()).isEqualTo(appended);
    }

    private CommitLog open() {
        return open(0);
    }

    private CommitLog open(long after) {
        return open(after, new Records());
    }

    private CommitLog open(long after, Records records) {
        return CommitLog.open(directory, after, new SystemFiles(), SEGMENT, Runnable::run, records);
    }

    private List<String> replayed() {
        Records records = new Records();
        open(0, records).close();
        return records.list();
    }

    private void append(CommitLog log, long version, int length) {
        byte[] payload = new byte[length];
        Arrays.fill(payload, (byte) version);
        log.append(version, ByteBuffer.wrap(payload));
        appended.add(Records.text(version, payload));
    }
}
