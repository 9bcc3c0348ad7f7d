package dev.couchjobs.fdb.internal.log;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Something done to a log. */
record LogOperation(Kind kind, int length) {
    enum Kind {
        APPEND,
        SYNC,
        TRUNCATE,
        RUN_TASKS,
        REOPEN,
        KILL
    }

    void apply(LogHistory history) {
        switch (kind) {
            case APPEND -> history.append(length);
            case SYNC -> history.sync();
            case TRUNCATE -> history.truncate();
            case RUN_TASKS -> history.runTasks();
            case REOPEN -> {
                history.close();
                history.open();
            }
            case KILL -> {
                history.crash();
                history.open();
            }
        }
    }

    static Arbitrary<LogOperation> any() {
        Arbitrary<Kind> kinds = Arbitraries.frequency(
                Tuple.of(10, Kind.APPEND),
                Tuple.of(5, Kind.SYNC),
                Tuple.of(2, Kind.RUN_TASKS),
                Tuple.of(1, Kind.TRUNCATE),
                Tuple.of(1, Kind.REOPEN),
                Tuple.of(1, Kind.KILL));
        Arbitrary<Integer> lengths = Arbitraries.oneOf(
                Arbitraries.integers().between(0, 60),
                Arbitraries.integers().between(300, 1_200),
                Arbitraries.integers().between(0, 6_000));
        return Combinators.combine(kinds, lengths).as(LogOperation::new);
    }
}
