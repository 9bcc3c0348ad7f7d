package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import dev.couchjobs.fdb.internal.log.SimulatedDisk.Fault;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A disk that refuses: what was acknowledged stays, and the user is told. */
class FaultTest {
    /** One life of the process, with one failure in it, after which the power may go as well. */
    record Life(Fault fault, int failsAt, boolean losesPower, List<LogOperation> logOperations) {}

    @Property(tries = 1_000)
    void whatWasSyncedSurvivesFailures(@ForAll long seed, @ForAll("lives") List<Life> lives) {
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

    @Example
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

    @Example
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

    @Example
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

    @Example
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

    @Provide
    Arbitrary<List<Life>> lives() {
        return Combinators.combine(
                        Arbitraries.of(Fault.ERROR, Fault.NO_SPACE),
                        Arbitraries.integers().between(0, 60),
                        Arbitraries.of(true, false),
                        LogOperation.any().list().ofMaxSize(40))
                .as(Life::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(5);
    }
}
