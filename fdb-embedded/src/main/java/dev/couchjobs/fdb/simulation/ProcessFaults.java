package dev.couchjobs.fdb.simulation;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What goes wrong between one process and the store: errors and slowness by chance, and silence after its death. */
final class ProcessFaults implements FaultPlan {
    private static final int TOO_OLD = 1007;
    private static final int FUTURE_VERSION = 1009;
    private static final int CONFLICT = 1020;
    private static final int UNKNOWN_RESULT = 1021;
    private static final int PROCESS_BEHIND = 1037;
    private static final long SLOWEST_EVER = TimeUnit.SECONDS.toNanos(8);
    private static final long LATEST_WATCH = TimeUnit.SECONDS.toNanos(10);
    private static final int ONCE_IN = 200;

    private record Kind(Fault fault, InjectedFault injectedFault) {
        static Kind error(Fault fault, int code) {
            return new Kind(fault, InjectedFault.error(fault.name(), code));
        }
    }

    private static final InjectedFault LOST = InjectedFault.error(Fault.STORE_LOSS.name(), PROCESS_BEHIND);
    private static final List<Kind> AT_READ =
            List.of(Kind.error(Fault.TOO_OLD, TOO_OLD), Kind.error(Fault.FUTURE_VERSION, FUTURE_VERSION));
    private static final List<Kind> AT_COMMIT = List.of(
            Kind.error(Fault.CONFLICT, CONFLICT),
            new Kind(
                    Fault.UNKNOWN_COMMITTED,
                    InjectedFault.errorAfterwards(Fault.UNKNOWN_COMMITTED.name(), UNKNOWN_RESULT)),
            Kind.error(Fault.UNKNOWN_NOT_COMMITTED, UNKNOWN_RESULT),
            Kind.error(Fault.TOO_OLD, TOO_OLD),
            Kind.error(Fault.FUTURE_VERSION, FUTURE_VERSION));
    private static final InjectedFault ORPHANED = InjectedFault.firing(Fault.ORPHANED_WATCH.name());
    private static final List<Kind> AT_WATCH = List.of(
            new Kind(Fault.ORPHANED_WATCH, ORPHANED),
            new Kind(Fault.SPURIOUS_WATCH, InjectedFault.firing(Fault.SPURIOUS_WATCH.name())),
            Kind.error(Fault.FAILED_WATCH, FUTURE_VERSION));

    private final String process;
    private final SharedStore store;
    private final VirtualScheduler time;
    private final ProcessExecutor executor;
    private final FaultWeights weights;
    private final long slowestNanos;
    private final Latency latency;
    private final RandomGenerator random;
    private final Trace trace;
    private long answeredUntilNanos;

    /**
     * Plans what goes wrong.
     *
     * @param slowestNanos what a slow answer takes at most, as a rule
     * @param latency what any answer takes
     */
    ProcessFaults(
            String process,
            SharedStore store,
            ProcessExecutor executor,
            FaultWeights weights,
            long slowestNanos,
            Latency latency,
            RandomGenerator random,
            Trace trace) {
        this.process = process;
        this.store = store;
        this.time = executor.time();
        this.executor = executor;
        this.weights = weights;
        this.slowestNanos = slowestNanos;
        this.latency = latency;
        this.random = random;
        this.trace = trace;
    }

    @Override
    public void begun(long transaction) {
        trace.add(process, "begins transaction", transaction);
    }

    @Override
    public @Nullable InjectedFault injectedFault(FaultPoint point) {
        if (point.kind() == FaultPoint.Kind.READ && store.isLost()) {
            trace.add(process, LOST.name() + " strikes transaction", point.transaction());
            return LOST;
        }
        List<Kind> possible = switch (point.kind()) {
            case READ -> AT_READ;
            // On a cluster a commit that writes nothing does not fail.
            case COMMIT -> point.writes() ? AT_COMMIT : List.of();
            case WATCH -> AT_WATCH;
        };
        for (Kind kind : possible) {
            if (weights.occurs(kind.fault, random)) {
                trace.add(process, kind.injectedFault.name() + " strikes transaction", point.transaction());
                return kind.injectedFault;
            }
        }
        return null;
    }

    /** What has been sent is on its way, whatever happens to the process. */
    @Override
    public CompletableFuture<?> before(FaultPoint point) {
        if (executor.opensAtNanos() == VirtualExecutor.NEVER) {
            return new CompletableFuture<>();
        }
        if (point.kind() == FaultPoint.Kind.COMMIT) {
            trace.add(process, "sends commit", point.transaction());
        }
        Fault delay = point.kind() == FaultPoint.Kind.COMMIT ? Fault.COMMIT_DELAY : Fault.SLOW_REPLY;
        long nanos = latency.sendingNanos(point) + (weights.occurs(delay, random) ? delay() : 0);
        return nanos > 0 ? on(time, time.nanoTime() + nanos) : done(point);
    }

    @Override
    public void decided(FaultPoint point, @Nullable Throwable error) {
        trace.add(process, error == null ? "commits" : "fails to commit", point.transaction());
    }

    @Override
    public CompletableFuture<?> after(FaultPoint point, @Nullable InjectedFault injectedFault) {
        if (ORPHANED.equals(injectedFault)) {
            return new CompletableFuture<>(); // never answered
        }
        long usual = time.nanoTime() + latency.answerNanos(point);
        long due = point.kind() == FaultPoint.Kind.WATCH ? usual + watchDelay() : answerDue(usual);
        if (due <= time.nanoTime() && executor.isOpen()) {
            return answered(point);
        }
        return on(executor, due).thenCompose(now -> answered(point));
    }

    private CompletableFuture<?> answered(FaultPoint point) {
        if (point.kind() != FaultPoint.Kind.READ) {
            String event = point.kind() == FaultPoint.Kind.WATCH ? "is told of its watch" : "is told of its commit";
            trace.add(process, event, point.transaction());
        }
        return done(point);
    }

    private long watchDelay() {
        return weights.occurs(Fault.LATE_WATCH, random) ? random.nextLong(LATEST_WATCH) : 0;
    }

    /** Answers come in the order in which they were sent, unless they are reordered. */
    private long answerDue(long usual) {
        long due = usual + (weights.occurs(Fault.SLOW_REPLY, random) ? delay() : 0);
        if (weights.occurs(Fault.REORDERED_REPLY, random)) {
            return due + random.nextLong(slowestNanos);
        }
        answeredUntilNanos = Math.max(due, answeredUntilNanos);
        return answeredUntilNanos;
    }

    /** Now and then longer than the five seconds that a transaction may take. */
    private long delay() {
        return 1 + random.nextLong(random.nextInt(ONCE_IN) == 0 ? SLOWEST_EVER : slowestNanos);
    }

    private static CompletableFuture<?> done(FaultPoint point) {
        return CompletableFuture.completedFuture(point);
    }

    private static CompletableFuture<Boolean> on(VirtualExecutor executor, long nanos) {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        var unused = executor.enqueue(() -> due.complete(true), nanos);
        return due;
    }
}
