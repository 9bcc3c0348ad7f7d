package dev.couchjobs.simulation;

import dev.couchjobs.faults.Fault;
import dev.couchjobs.faults.FaultPlan;
import dev.couchjobs.faults.Step;
import dev.couchjobs.fdb.testing.VirtualScheduler;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What goes wrong on one node, at random: errors, slowness, pauses, and in the end perhaps a crash. */
final class NodeFaults implements FaultPlan {
    private static final Map<Step.Kind, List<Fault>> FAULTS = new EnumMap<>(Map.of(
            Step.Kind.COMMIT,
            List.of(
                    Fault.CONFLICT,
                    Fault.UNKNOWN_BUT_COMMITTED,
                    Fault.UNKNOWN_BUT_COMMITTED,
                    Fault.UNKNOWN_AND_NOT_COMMITTED,
                    Fault.TOO_OLD_AT_COMMIT,
                    Fault.FUTURE_VERSION_AT_COMMIT),
            Step.Kind.READ,
            List.of(Fault.TOO_OLD_AT_READ, Fault.FUTURE_VERSION_AT_READ),
            Step.Kind.WATCH,
            List.of(Fault.WATCH_FAILS, Fault.WATCH_FIRES)));

    private final VirtualScheduler time;
    private final RandomGenerator random;
    private final Weights weights;
    private boolean calm;
    private boolean crashed;
    private long pausedUntil;

    /**
     * How often things go wrong.
     *
     * @param fault the probability of an error at one step
     * @param slow the probability that a step takes any time
     * @param slowest the longest that it may take, as a rule
     */
    record Weights(double fault, double slow, Duration slowest) {}

    NodeFaults(VirtualScheduler time, RandomGenerator random, Weights weights) {
        this.time = time;
        this.random = random;
        this.weights = weights;
    }

    /** Nothing goes wrong from now on, apart from what already has. */
    void calm() {
        calm = true;
    }

    /** Nothing happens on this node any more. What it has begun is not undone. */
    void crash() {
        crashed = true;
    }

    /** Nothing happens on this node for a while; then it goes on as if no time had passed. */
    void pause(Duration duration) {
        pausedUntil = time.nanoTime() + duration.toNanos();
    }

    boolean isCrashed() {
        return crashed;
    }

    @Override
    public @Nullable Fault fault(Step step) {
        List<Fault> possible = FAULTS.getOrDefault(step.kind(), List.of());
        // On a cluster a commit that writes nothing does not fail.
        boolean safe = calm || (step.kind() == Step.Kind.COMMIT && !step.writes());
        return safe || random.nextDouble() >= weights.fault ? null : possible.get(random.nextInt(possible.size()));
    }

    @Override
    public CompletableFuture<?> before(Step step) {
        return sleep(latency());
    }

    @Override
    public CompletableFuture<?> after(Step step, @Nullable Fault fault) {
        // An unknown result comes of a lost connection, which as a rule takes its time to be noticed.
        boolean lost = fault == Fault.UNKNOWN_BUT_COMMITTED && random.nextDouble() < weights.slow;
        return sleep(lost ? Duration.ofMillis(random.nextInt(4_000)) : latency());
    }

    private Duration latency() {
        if (calm || random.nextDouble() >= weights.slow) {
            return Duration.ZERO;
        }
        // Now and then longer than the five seconds that a transaction may take.
        long most = random.nextInt(200) == 0 ? TimeUnit.SECONDS.toNanos(8) : weights.slowest.toNanos();
        return Duration.ofNanos(random.nextLong(most) + 1);
    }

    /** Time as this node lives through it: completes when that time has passed and the node is not paused. */
    CompletableFuture<?> sleep(Duration duration) {
        long pause = Math.max(0, pausedUntil - time.nanoTime());
        long nanos = Math.max(pause, duration.toNanos());
        if (crashed) {
            return new CompletableFuture<>();
        }
        if (nanos == 0) {
            return CompletableFuture.completedFuture(duration);
        }
        CompletableFuture<Duration> over = new CompletableFuture<>();
        var unused = time.schedule(() -> over.complete(Duration.ZERO), nanos, TimeUnit.NANOSECONDS);
        return over.thenCompose(this::sleep);
    }
}
