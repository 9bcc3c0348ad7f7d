package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A log is damaged in every single place. Either that is noticed, and nothing on the disk changed, or it was a place
 * that carries nothing, and everything is replayed.
 */
class DamageTest {
    private static final Path DIRECTORY = Path.of("/log");
    private static final int SEGMENT = 3 << 10;

    /** How the log came to its end. Everything in it was synced. */
    enum End {
        CLOSED,
        KILLED
    }

    private final List<String> records = new ArrayList<>();
    private int noticed;

    @ParameterizedTest
    @EnumSource
    void aChangedByteIsNoticedOrCarriesNothing(End end) {
        Map<Path, byte[]> log = log(end);
        int tried = 0;
        for (Map.Entry<Path, byte[]> file : log.entrySet()) {
            for (int place = 0; place < file.getValue().length; place++) {
                for (byte value : others(file.getValue()[place])) {
                    byte[] changed = file.getValue().clone();
                    changed[place] = value;
                    requireNoticedOrHarmless(log, file.getKey(), changed);
                    tried++;
                }
            }
        }
        assertThat(noticed).isBetween(tried / 3, tried - 1);
    }

    private static byte[] others(byte value) {
        byte bit = (byte) (value ^ 0x10);
        return value == 0 ? new byte[] {bit} : new byte[] {bit, 0};
    }

    @ParameterizedTest
    @EnumSource
    void aTruncatedFileIsNoticed(End end) {
        Map<Path, byte[]> log = log(end);
        log.forEach((path, bytes) -> {
            for (int size = 0; size < bytes.length; size++) {
                noticed = 0;
                requireNoticedOrHarmless(log, path, Arrays.copyOf(bytes, size));
                assertThat(noticed).as("%s cut to %s bytes", path, size).isOne();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void aMissingFileIsNoticedUnlessItIsTheSpareOne(End end) {
        Map<Path, byte[]> log = log(end);
        log.keySet().forEach(path -> {
            SimulatedDisk disk = disk(log);
            disk.remove(path);
            requireNoticedOrHarmless(disk, path + " is gone");
        });
        assertThat(noticed).isEqualTo(log.size() - 1);
    }

    @ParameterizedTest
    @EnumSource
    void swappedFilesAreNoticed(End end) {
        Map<Path, byte[]> log = log(end);
        for (Path one : log.keySet()) {
            for (Path other : log.keySet()) {
                if (!one.equals(other)) {
                    noticed = 0;
                    requireNoticedOrHarmless(log, one, log.get(other));
                    assertThat(noticed).isOne();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSectorThatIsZerosIsNoticedUnlessItIsTheLastOneOfALogThatWasNotClosed(End end) {
        Map<Path, byte[]> log = log(end);
        String last = records.get(records.size() - 1);
        int lost = 0;
        for (Map.Entry<Path, byte[]> file : log.entrySet()) {
            for (int sector = 0; sector < file.getValue().length; sector += SegmentLayout.SECTOR) {
                byte[] zeroed = file.getValue().clone();
                Arrays.fill(zeroed, sector, sector + SegmentLayout.SECTOR, (byte) 0);
                SimulatedDisk disk = disk(log);
                disk.replace(file.getKey(), zeroed);
                List<String> replayed = replay(disk);
                if (end == End.KILLED && replayed != null && !replayed.contains(last)) {
                    lost++;
                } else if (replayed != null) {
                    assertThat(replayed)
                            .as("zeros at %s of %s", sector, file.getKey())
                            .isEqualTo(records);
                }
            }
        }
        assertThat(lost).isEqualTo(end == End.KILLED ? 1 : 0);
    }

    /** Five segments, with records of all sizes, zeros in them, and a reopening; the fifth was not needed yet. */
    private Map<Path, byte[]> log(End end) {
        SimulatedDisk disk = SimulatedDisk.with(DIRECTORY, new Random(0));
        LogActions.quietly(() -> CommitLog.create(DIRECTORY, disk, SEGMENT));
        CommitLog log = open(disk, new Records());
        int version = 0;
        for (int length : new int[] {0, 1, 30, 511, 512, 700}) {
            append(log, ++version, length);
            log.sync();
        }
        log.close();
        log = open(disk, new Records());
        for (int length : new int[] {1_600, 10, 900, 13, 30, 5}) {
            append(log, ++version, length);
            log.sync();
        }
        if (end == End.CLOSED) {
            log.close();
        }
        Map<Path, byte[]> contents = disk.contents();
        contents.remove(DIRECTORY);
        assertThat(contents).hasSize(5);
        return contents;
    }

    private void append(CommitLog log, int version, int length) {
        byte[] payload = new byte[length];
        Arrays.fill(payload, 0, length / 3, (byte) version);
        log.append(version, ByteBuffer.wrap(payload));
        records.add(Records.text(version, payload));
    }

    private static CommitLog open(SimulatedDisk disk, Records replay) {
        return CommitLog.open(DIRECTORY, 0, disk, SEGMENT, Runnable::run, replay);
    }

    private static SimulatedDisk disk(Map<Path, byte[]> files) {
        SimulatedDisk disk = SimulatedDisk.with(DIRECTORY, new Random(0));
        files.forEach((path, bytes) -> LogActions.quietly(() -> {
            disk.create(path).close();
            disk.replace(path, bytes.clone());
        }));
        return disk;
    }

    private void requireNoticedOrHarmless(Map<Path, byte[]> log, Path path, byte[] damaged) {
        SimulatedDisk disk = disk(log);
        disk.replace(path, damaged.clone());
        requireNoticedOrHarmless(disk, "damage to " + path);
    }

    private void requireNoticedOrHarmless(SimulatedDisk disk, String damage) {
        List<String> replayed = replay(disk);
        if (replayed == null) {
            noticed++;
        } else {
            assertThat(replayed).as(damage).isEqualTo(records);
        }
    }

    /** Null if damage was noticed. */
    private static @Nullable List<String> replay(SimulatedDisk disk) {
        String before = disk.fingerprint();
        Records replayed = new Records();
        try {
            open(disk, replayed);
            return replayed.list();
        } catch (CorruptStorageException e) {
            assertThat(disk.fingerprint()).as("the disk").isEqualTo(before);
            assertThat(e).hasMessageContaining("is damaged");
            return null;
        }
    }
}
