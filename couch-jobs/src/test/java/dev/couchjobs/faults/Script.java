package dev.couchjobs.faults;

import dev.couchjobs.fdb.simulation.FaultPlan;
import dev.couchjobs.fdb.simulation.FaultPoint;
import dev.couchjobs.fdb.simulation.InjectedFault;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A plan that is written step by step. Thread-safe, and may be added to while it is carried out. */
public final class Script implements FaultPlan {
    private static final int ALWAYS = Integer.MAX_VALUE;

    private final List<Line> lines = new ArrayList<>();
    private final Deque<Supplier<? extends CompletableFuture<?>>> meanwhile = new ArrayDeque<>();
    private int struck;

    /** One fault: how many steps that it could strike it lets pass, and how many it then does strike. */
    private static final class Line {
        final StepFault fault;
        int pass;
        int strikes;

        Line(StepFault fault, int pass, int strikes) {
            this.fault = fault;
            this.pass = pass;
            this.strikes = strikes;
        }
    }

    /** Makes the next step go wrong that can go wrong in this way. */
    public Script next(StepFault fault) {
        return nth(1, fault);
    }

    /** Makes one step go wrong, counted from one among those that can go wrong in this way. */
    public synchronized Script nth(int n, StepFault fault) {
        lines.add(new Line(fault, n - 1, 1));
        return this;
    }

    /** Makes every step go wrong that can go wrong in this way, until {@link #clear}. */
    public synchronized Script every(StepFault fault) {
        lines.add(new Line(fault, 0, ALWAYS));
        return this;
    }

    /**
     * Has something else happen after a faulty commit, before its caller is told; one thing for one commit, in order.
     */
    public synchronized Script meanwhile(Supplier<? extends CompletableFuture<?>> action) {
        meanwhile.add(action);
        return this;
    }

    /** Lets everything go well from now on. */
    public synchronized void clear() {
        lines.clear();
        meanwhile.clear();
    }

    /** {@return how often something went wrong} */
    public synchronized int struck() {
        return struck;
    }

    @Override
    public synchronized @Nullable InjectedFault injectedFault(FaultPoint point) {
        Line striking = null;
        for (Line line : lines) {
            if (!line.fault.strikes(point) || line.strikes == 0) {
                continue;
            }
            if (line.pass > 0) {
                line.pass--;
            } else if (striking == null) {
                striking = line;
            }
        }
        if (striking == null) {
            return null;
        }
        striking.strikes -= striking.strikes == ALWAYS ? 0 : 1;
        struck++;
        return striking.fault.fault();
    }

    @Override
    public CompletableFuture<?> after(FaultPoint point, @Nullable InjectedFault injectedFault) {
        Supplier<? extends CompletableFuture<?>> action;
        synchronized (this) {
            if (injectedFault == null || point.kind() != FaultPoint.Kind.COMMIT || meanwhile.isEmpty()) {
                return CompletableFuture.completedFuture(point);
            }
            action = meanwhile.remove();
        }
        return action.get();
    }
}
