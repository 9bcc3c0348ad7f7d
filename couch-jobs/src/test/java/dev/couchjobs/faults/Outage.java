package dev.couchjobs.faults;

import dev.couchjobs.fdb.simulation.FaultPlan;
import dev.couchjobs.fdb.simulation.Mishap;
import dev.couchjobs.fdb.simulation.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Times at which nothing works: every read and every commit fails, one after the other in each of several ways. */
final class Outage implements FaultPlan {
    /** A recovery: reads find storage servers that lag behind, and of commits nobody knows what became. */
    static final List<Mishap> RECOVERY_READS =
            List.of(Mishap.error("lags", 1009), Mishap.error("behind", 1037), Mishap.error("too old", 1007));

    static final List<Mishap> RECOVERY_COMMITS = List.of(
            Mishap.errorAfterwards("unknown, committed", 1021),
            Mishap.error("unknown, not committed", 1021),
            Mishap.error("too old", 1007));

    private List<Mishap> reads = List.of();
    private List<Mishap> commits = List.of();
    private int struck;

    synchronized void begin(List<Mishap> reads, List<Mishap> commits) {
        this.reads = reads;
        this.commits = commits;
    }

    /** Everything fails with one error, as it does where no read version is given out. */
    void begin(int code) {
        List<Mishap> all = List.of(Mishap.error("error " + code, code));
        begin(all, all);
    }

    void end() {
        begin(List.of(), List.of());
    }

    @Override
    public synchronized @Nullable Mishap mishap(Step step) {
        List<Mishap> ways = switch (step.kind()) {
            case READ -> reads;
            case COMMIT -> step.writes() ? commits : List.of();
            case WATCH -> List.of();
        };
        return ways.isEmpty() ? null : ways.get(struck++ % ways.size());
    }
}
