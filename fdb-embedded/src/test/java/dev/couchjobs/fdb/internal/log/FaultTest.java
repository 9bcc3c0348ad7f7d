package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import dev.couchjobs.fdb.internal.log.SimulatedDisk.Fault;
import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A disk that refuses: what was acknowledged stays, and the user is told. */
class FaultTest {
    /** One life of the process, with one failure in it, after which the power may go as well. */
    record Life(Fault fault, int failsAt, boolean losesPower, List<LogOperation> logOperations) {}

    @Test
    void whatWasSyncedSurvivesFailures() {
        Samples.check(1_000, samples -> {
            long seed = samples.seed();
            List<Life> lives = lives(samples);

            LogHistory history = new LogHistory(seed);
            for (Life life : lives) {
                history.disk().failAt(life.failsAt, life.fault);
                live(life, history);
                history.crash();
                if (life.losesPower) {
                    history.disk().losePower();
                }
            }
            history.open();
        });
    }

    private static void live(Life life, LogHistory history) {
        try {
            history.open();
        } catch (StorageException e) {
            assertThat(e).isNotInstanceOf(CorruptStorageException.class);
            return;
        }
        for (LogOperation logOperation : life.logOperations) {
            try {
                logOperation.apply(history);
            } catch (StorageException e) {
                assertThat(e).isNotInstanceOf(CorruptStorageException.class);
                if (!history.isUsable()) {
                    return;
                }
                assertThat(e).hasMessageContaining("did not happen");
                history.disk().freeSpace();
            }
        }
    }

    @Test
    void afterAFailedSyncNothingIsWrittenAndTheReasonStays() {
        LogHistory history = new LogHistory(1);
        history.open();
        history.append(100);
        history.disk().failAt(1, Fault.ERROR);
        StorageException failure = catchThrowableOfType(StorageException.class, history::sync);
        assertThat(failure)
                .isNotInstanceOf(StorageFullException.class)
                .hasMessageContaining("/log/0000000000000000.log could not be written")
                .hasMessageContaining("Input/output error")
                .hasMessageContaining("Every commit that was acknowledged is safe");
        int operations = history.disk().operations();
        assertThatThrownBy(history::sync).isSameAs(failure);
        assertThatThrownBy(() -> history.append(1)).isSameAs(failure);
        history.close();
        assertThat(history.disk().operations()).isEqualTo(operations);
    }

    @Test
    void aFullDiskInTheMiddleOfAWriteIsCalledThat() {
        LogHistory history = new LogHistory(1);
        history.open();
        history.append(100);
        history.disk().failAt(0, Fault.NO_SPACE);
        assertThatThrownBy(history::sync)
                .isInstanceOf(StorageFullException.class)
                .hasMessageContaining("Free some space, then open it again");
        assertThat(history.isUsable()).isFalse();
    }

    @Test
    void withoutSpaceForASegmentTheLogWaitsForSomeAndForgetsNothing() {
        LogHistory history = new LogHistory(1);
        history.open();
        history.append(2_000);
        history.disk().fill();
        history.append(300);
        history.runTasks();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> history.append(2_000))
                    .isInstanceOf(StorageFullException.class)
                    .hasMessageContaining("The commit did not happen")
                    .hasMessageContaining("Free some space and try again");
            history.sync();
        }
        history.disk().freeSpace();
        history.append(2_000);
        history.close();
        history.open();
        assertThat(history.size()).isEqualTo(3);
    }

    @Test
    void aSegmentThatCouldNotBeMadeAheadOfNeedIsMadeWhenItIsNeeded() {
        LogHistory history = new LogHistory(1);
        history.open();
        history.append(2_000);
        history.append(300);
        history.disk().failAt(0, Fault.ERROR);
        history.runTasks();
        history.append(2_000);
        history.close();
        history.open();
        assertThat(history.size()).isEqualTo(3);
    }

    private static List<Life> lives(Samples samples) {
        return samples.list(1, 5, FaultTest::life);
    }

    private static Life life(Samples samples) {
        return new Life(
                samples.of(Fault.ERROR, Fault.NO_SPACE),
                samples.between(0, 60),
                samples.anyBoolean(),
                samples.list(0, 40, LogOperation::any));
    }
}
