package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.internal.log.SimulatedDisk.Crash;
import dev.couchjobs.fdb.internal.log.SimulatedDisk.Fault;
import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whenever the process or the power goes, everything that was synced is there again, and what is there is a prefix. */
class LogCrashTest {
    /**
     * One life of the process, which ends at the given operation of the disk or, at the latest, when it has nothing to
     * do.
     */
    record Life(Fault end, int endsAt, List<LogOperation> operations) {}

    @Test
    void withoutCrashesTheLogIsAList() {
        Samples.check(300, samples -> {
            long seed = samples.seed();
            List<LogOperation> operations = operations(samples);

            LogHistory history = new LogHistory(seed);
            history.disk().allowShortWrites();
            history.open();
            operations.forEach(operation -> operation.apply(history));
            history.close();
            history.open();
        });
    }

    @Test
    void whatWasSyncedSurvivesLossesOfPower() {
        Samples.check(2_000, samples -> {
            long seed = samples.seed();
            List<Life> lives = lives(samples);

            LogHistory history = new LogHistory(seed);
            lives.forEach(life -> live(life, history));
            history.open();
        });
    }

    private static void live(Life life, LogHistory history) {
        history.disk().failAt(life.endsAt, life.end);
        try {
            history.open();
            life.operations.forEach(operation -> operation.apply(history));
            history.disk().failAt(0, life.end);
            history.sync();
        } catch (Crash expected) {
            history.crash();
        }
        if (history.isOpen()) {
            history.crash();
        }
    }

    private static List<LogOperation> operations(Samples samples) {
        return samples.list(0, 40, LogOperation::any);
    }

    private static List<Life> lives(Samples samples) {
        return samples.list(1, 5, LogCrashTest::life);
    }

    private static Life life(Samples samples) {
        Fault end = samples.of(Fault.POWER_LOSS, Fault.POWER_LOSS, Fault.KILL);
        return new Life(end, samples.between(0, 60), operations(samples));
    }
}
