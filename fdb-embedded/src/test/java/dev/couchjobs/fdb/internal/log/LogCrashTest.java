package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.internal.log.SimulatedDisk.Crash;
import dev.couchjobs.fdb.internal.log.SimulatedDisk.Fault;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whenever the process or the power goes, everything that was synced is there again, and what is there is a prefix. */
class LogCrashTest {
    /**
     * One life of the process, which ends at the given operation of the disk or, at the latest, when it has nothing to
     * do.
     */
    record Life(Fault end, int endsAt, List<LogOperation> operations) {}

    @Property(tries = 300)
    void withoutCrashesTheLogIsAList(@ForAll long seed, @ForAll("operations") List<LogOperation> operations) {
        LogHistory history = new LogHistory(seed);
        history.disk().allowShortWrites();
        history.open();
        operations.forEach(operation -> operation.apply(history));
        history.close();
        history.open();
    }

    @Property(tries = 2_000)
    void whatWasSyncedSurvivesLossesOfPower(@ForAll long seed, @ForAll("lives") List<Life> lives) {
        LogHistory history = new LogHistory(seed);
        lives.forEach(life -> live(life, history));
        history.open();
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

    @Provide
    Arbitrary<List<LogOperation>> operations() {
        return LogOperation.any().list().ofMaxSize(40);
    }

    @Provide
    Arbitrary<List<Life>> lives() {
        Arbitrary<Fault> ends = Arbitraries.of(Fault.POWER_LOSS, Fault.POWER_LOSS, Fault.KILL);
        return Combinators.combine(ends, Arbitraries.integers().between(0, 60), operations())
                .as(Life::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(5);
    }
}
