package dev.couchjobs.internal.worker;

import dev.couchjobs.internal.accept.ClaimConsumer.Demand;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.worker.WorkerStateMachine.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds a state machine: types {@code a}, {@code b} with jobs {@code a1}, {@code a2} and so on. The effects and
 * ends are texts.
 */
final class WorkerWorld implements WorkerEffects<WorkerWorld.TestRun> {
    private static final int BYTES = 10;

    private final HeldBytes heldBytes = new HeldBytes(1_000_000);
    private final WorkerStateMachine<TestRun> machine;
    private final List<TypeState<TestRun>> types = new ArrayList<>();
    private final Map<String, TestRun> runs = new LinkedHashMap<>();
    private final List<String> effects = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();

    /** A run of a job. */
    static final class TestRun extends Run<TestRun> {
        private final String name;
        private final TypeState<TestRun> type;
        private final boolean isSuspect;

        TestRun(String name, TypeState<TestRun> type, boolean isSuspect) {
            super(false);
            this.name = name;
            this.type = type;
            this.isSuspect = isSuspect;
        }

        @Override
        int bytes() {
            return BYTES;
        }

        @Override
        boolean isSuspect() {
            return isSuspect;
        }

        @Override
        TypeState<TestRun> typeState() {
            return type;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A worker with open types whose orders are not known. */
    WorkerWorld(int slots, int typeCount) {
        machine = new WorkerStateMachine<>(slots, heldBytes);
        for (int i = 0; i < typeCount; i++) {
            TypeState<TestRun> type = machine.add(String.valueOf((char) ('a' + i)), OptionalInt.empty());
            machine.open(type);
            types.add(type);
        }
    }

    WorkerStateMachine<TestRun> machine() {
        return machine;
    }

    /** The orders let the worker run. */
    void run() {
        order(Phase.RUNNING);
        effects();
    }

    boolean order(Phase phase) {
        return machine.ordered(phase);
    }

    Demand claim(int type) {
        return machine.beginClaim(types.get(type), Instant.EPOCH);
    }

    void deliver(int type, int jobs) {
        List<TestRun> claimed = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            claimed.add(newRun(type, false));
        }
        deliver(type, claimed);
    }

    void deliverSuspect(int type) {
        deliver(type, List.of(newRun(type, true)));
    }

    private void deliver(int type, List<TestRun> claimed) {
        if (!claimed.isEmpty()) {
            machine.claimed(types.get(type), claimed, Integer.MAX_VALUE, Instant.EPOCH);
        }
        machine.claimEnded(types.get(type));
    }

    private TestRun newRun(int type, boolean isSuspect) {
        String prefix = types.get(type).name();
        long number = 1
                + runs.keySet().stream().filter(name -> name.startsWith(prefix)).count();
        TestRun run = new TestRun(prefix + number, types.get(type), isSuspect);
        runs.put(run.name, run);
        return run;
    }

    TestRun run(String name) {
        TestRun run = runs.get(name);
        if (run == null) {
            throw new IllegalArgumentException(name);
        }
        return run;
    }

    /** The executor starts a thread. {@return the job that it begins, or null} */
    @Nullable String threadStarts() {
        machine.threadStarted();
        return begin();
    }

    @Nullable String begin() {
        return machine.begin().map(TestRun::toString).orElse(null);
    }

    void handlerReturns(String name, Disposition disposition) {
        var unused = machine.handlerReturned(run(name), disposition, Duration.ofSeconds(1), true);
    }

    void stop(String name) {
        var unused = machine.stop(run(name), new Disposition.Failed("too long", true));
    }

    boolean lose(String name) {
        return machine.lost(run(name), false);
    }

    List<String> confirmStarts(int type) {
        return names(machine.confirmStarts(types.get(type)));
    }

    List<String> nextRound(int type) {
        return names(machine.nextRound(types.get(type), Duration.ofSeconds(1)));
    }

    private static List<String> names(List<TestRun> runs) {
        return runs.stream().map(TestRun::toString).toList();
    }

    /** {@return whether the data of no job is counted as held} */
    boolean holdsNoData() {
        return heldBytes.isEmpty();
    }

    /** {@return what the machine has asked for since the last call} */
    List<String> effects() {
        machine.takeEffects().forEach(effect -> effect.accept(this));
        List<String> taken = List.copyOf(effects);
        effects.clear();
        return taken;
    }

    /** {@return all ends so far} */
    List<String> ends() {
        machine.takeEnds()
                .forEach(
                        run -> ends.add(run + " " + run.disposition().getClass().getSimpleName()));
        return List.copyOf(ends);
    }

    @Override
    public void letClaim(TypeState<TestRun> type) {
        effects.add("let " + type.name() + " claim");
    }

    @Override
    public void startThread() {
        effects.add("start a thread");
    }

    @Override
    public void stop(TestRun run) {
        effects.add("stop " + run);
    }

    @Override
    public void resumeHeartbeats(TypeState<TestRun> type) {
        effects.add("resume heartbeats of " + type.name());
    }

    @Override
    public void lastClaimEnded() {
        effects.add("last claim ended");
    }

    @Override
    public void close() {
        effects.add("close");
    }

    @Override
    public void handlersDone() {
        effects.add("handlers are done");
    }

    @Override
    public void checkStarvationIn(Duration time) {
        effects.add("check starvation");
    }

    @Override
    public void checkStuckIn(TestRun run, Duration time) {
        effects.add("check whether " + run + " is stuck");
    }

    @Override
    public void suspectHasRunIn(TestRun run, Duration time) {
        effects.add(run + " has run in " + time);
    }

    @Override
    public void confirmStartsIn(TypeState<TestRun> type, Duration time) {
        effects.add("confirm starts of " + type.name());
    }
}
