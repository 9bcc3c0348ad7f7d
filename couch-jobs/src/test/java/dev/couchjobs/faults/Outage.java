package dev.couchjobs.faults;

import dev.couchjobs.fdb.simulation.FaultPlan;
import dev.couchjobs.fdb.simulation.FaultPoint;
import dev.couchjobs.fdb.simulation.InjectedFault;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Times at which nothing works: every read and every commit fails, one after the other in each of several ways. */
public final class Outage implements FaultPlan {
    /** A recovery: reads find storage servers that lag behind, and of commits nobody knows what became. */
    static final List<InjectedFault> RECOVERY_READS = List.of(
            InjectedFault.error("lags", 1009),
            InjectedFault.error("behind", 1037),
            InjectedFault.error("too old", 1007));

    static final List<InjectedFault> RECOVERY_COMMITS = List.of(
            InjectedFault.errorAfterwards("unknown, committed", 1021),
            InjectedFault.error("unknown, not committed", 1021),
            InjectedFault.error("too old", 1007));

    private List<InjectedFault> reads = List.of();
    private List<InjectedFault> commits = List.of();
    private int struck;

    public synchronized void begin(List<InjectedFault> reads, List<InjectedFault> commits) {
        this.reads = reads;
        this.commits = commits;
    }

    /** Everything fails with one error, as it does where no read version is given out. */
    public void begin(int code) {
        List<InjectedFault> all = List.of(InjectedFault.error("error " + code, code));
        begin(all, all);
    }

    public void end() {
        begin(List.of(), List.of());
    }

    @Override
    public synchronized @Nullable InjectedFault injectedFault(FaultPoint point) {
        List<InjectedFault> ways = switch (point.kind()) {
            case READ -> reads;
            case COMMIT -> point.writes() ? commits : List.of();
            case WATCH -> List.of();
        };
        return ways.isEmpty() ? null : ways.get(struck++ % ways.size());
    }
}
