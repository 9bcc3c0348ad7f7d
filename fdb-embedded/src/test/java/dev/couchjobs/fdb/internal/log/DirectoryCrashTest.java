package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.fdb.embedded.DirectoryNotWritableException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import dev.couchjobs.fdb.internal.log.SimulatedDisk.Crash;
import dev.couchjobs.fdb.internal.log.SimulatedDisk.Fault;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A directory whose making fails at any point can be opened after that, and keeps what is committed then. */
class DirectoryCrashTest {
    private static final Path PATH = Path.of("/home/data");

    @ParameterizedTest
    @EnumSource
    void whereverItsMakingIsCutOffItCanBeOpened(Fault fault) {
        int operations = operationsOfMaking();
        for (int failsAt = 0; failsAt < operations; failsAt++) {
            for (int seed = 0; seed < 20; seed++) {
                SimulatedDisk disk = emptyDisk(seed);
                disk.failAt(failsAt, fault);
                failToCommit(disk);
                disk.restart();
                commit(disk, 1);
                disk.losePower();
                assertThat(commit(disk, 2).list())
                        .as("%s at operation %s, seed %s", fault, failsAt, seed)
                        .containsExactly(Records.text(1, new byte[] {1}));
            }
        }
    }

    @Test
    void aFullDiskIsCalledThat() {
        SimulatedDisk disk = emptyDisk(0);
        disk.fill();
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(StorageFullException.class)
                .hasMessageContaining("Nothing was lost");
        disk.freeSpace();
        commit(disk, 1);
    }

    @Test
    void aReadOnlyDirectoryIsLeftAlone() {
        SimulatedDisk disk = emptyDisk(0);
        commit(disk, 1);
        disk.makeReadOnly();
        String before = disk.fingerprint();
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(DirectoryNotWritableException.class)
                .hasMessageContaining("/home/data");
        assertThat(disk.fingerprint()).isEqualTo(before);
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamedWithTheReason() {
        SimulatedDisk disk = emptyDisk(0);
        disk.makeReadOnly();
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(DirectoryNotWritableException.class)
                .hasMessageContaining("this user may not make it in /");
    }

    private static int operationsOfMaking() {
        SimulatedDisk disk = emptyDisk(0);
        commit(disk, 1);
        return disk.operations();
    }

    private static SimulatedDisk emptyDisk(int seed) {
        return SimulatedDisk.with(Path.of("/"), new Random(seed));
    }

    private static DatabaseDirectory open(SimulatedDisk disk) {
        return DatabaseDirectory.open(PATH, disk, LogHistory.SEGMENT);
    }

    private static void failToCommit(SimulatedDisk disk) {
        try (DatabaseDirectory directory = open(disk)) {
            directory.openLog(0, Runnable::run, new Records());
        } catch (Crash | StorageException expected) {
            assertThat(expected).isNotNull();
        }
    }

    /** What was there before. */
    private static Records commit(SimulatedDisk disk, int version) {
        Records records = new Records();
        try (DatabaseDirectory directory = open(disk)) {
            CommitLog log = directory.openLog(0, Runnable::run, records);
            log.append(version, ByteBuffer.wrap(new byte[] {(byte) version}));
            log.sync();
        }
        return records;
    }
}
