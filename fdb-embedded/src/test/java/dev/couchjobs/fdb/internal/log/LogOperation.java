package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.testing.Samples;

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

    static LogOperation any(Samples samples) {
        int length = samples.oneOf(
                small -> small.between(0, 60), middle -> middle.between(300, 1_200), all -> all.between(0, 6_000));
        return new LogOperation(kind(samples), length);
    }

    /** Half of all operations are appends, and half of the others are syncs. */
    private static Kind kind(Samples samples) {
        if (samples.anyBoolean()) {
            return Kind.APPEND;
        }
        return samples.anyBoolean()
                ? Kind.SYNC
                : samples.of(Kind.RUN_TASKS, Kind.RUN_TASKS, Kind.TRUNCATE, Kind.REOPEN, Kind.KILL);
    }
}
