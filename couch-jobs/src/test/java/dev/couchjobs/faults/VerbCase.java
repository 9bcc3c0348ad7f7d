package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A verb in one of its cases, and how a user sees that it succeeded and acted once.
 *
 * @param name the verb and the case
 * @param faults what can go wrong with its steps
 * @param timeout the activity timeout
 * @param given sets the scene and returns what the call needs, such as a claim
 * @param when calls the verb on the faulty database
 * @param then looks at what came of it
 * @param <G> what the call needs
 * @param <R> what the call returns
 */
record VerbCase<G, R>(
        String name,
        Set<StepFault> faults,
        Duration timeout,
        Function<FaultFixture, G> given,
        BiFunction<FaultFixture, G, CompletableFuture<R>> when,
        Outcome<G, R> then) {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Set<StepFault> AT_READ = EnumSet.of(
            StepFault.TOO_OLD_AT_READ,
            StepFault.FUTURE_VERSION_AT_READ,
            StepFault.BEHIND_AT_READ,
            StepFault.LOCKED_AT_READ,
            StepFault.THROTTLED_AT_READ);
    private static final Set<StepFault> AT_COMMIT = EnumSet.of(
            StepFault.CONFLICT,
            StepFault.UNKNOWN_BUT_COMMITTED,
            StepFault.UNKNOWN_AND_NOT_COMMITTED,
            StepFault.TOO_OLD_AT_COMMIT,
            StepFault.FUTURE_VERSION_AT_COMMIT,
            StepFault.LOCKED_AT_COMMIT);
    private static final Set<StepFault> AT_BOTH = union(AT_READ, AT_COMMIT);

    /** What is to be seen afterwards. */
    @FunctionalInterface
    interface Outcome<G, R> {
        void look(FaultFixture fixture, G given, R result);
    }

    /** A verb that reads and commits what it writes. */
    static <G, R> VerbCase<G, R> writing(
            String name,
            Function<FaultFixture, G> given,
            BiFunction<FaultFixture, G, CompletableFuture<R>> when,
            Outcome<G, R> then) {
        return new VerbCase<>(name, AT_BOTH, TIMEOUT, given, when, then);
    }

    /** A verb that commits without having read. */
    static <G, R> VerbCase<G, R> blind(
            String name,
            Function<FaultFixture, G> given,
            BiFunction<FaultFixture, G, CompletableFuture<R>> when,
            Outcome<G, R> then) {
        return new VerbCase<>(name, AT_COMMIT, TIMEOUT, given, when, then);
    }

    /** A verb that writes nothing: nothing can go wrong with its commit. */
    static <G, R> VerbCase<G, R> reading(
            String name,
            Function<FaultFixture, G> given,
            BiFunction<FaultFixture, G, CompletableFuture<R>> when,
            Outcome<G, R> then) {
        return new VerbCase<>(name, AT_READ, TIMEOUT, given, when, then);
    }

    private static Set<StepFault> union(Set<StepFault> some, Set<StepFault> others) {
        Set<StepFault> all = EnumSet.copyOf(some);
        all.addAll(others);
        return all;
    }

    VerbCase<G, R> withTimeout(Duration activityTimeout) {
        return new VerbCase<>(name, faults, activityTimeout, given, when, then);
    }

    /** {@return whether the fault struck before the verb was done} */
    boolean survives(Stage stage, StepFault fault, int nth) {
        try (FaultFixture fixture = new FaultFixture(stage, timeout)) {
            G given = this.given.apply(fixture);
            fixture.script.nth(nth, fault);
            R result = fixture.await(when.apply(fixture, given));
            boolean struck = fixture.script.struck() > 0;
            fixture.script.clear();
            then.look(fixture, given, result);
            assertThat(fixture.rows().contradictions()).isEmpty();
            return struck;
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** Checks the state and the data of job "a", the whole of its history, and that it is in the queue once or not. */
    static void shows(FaultFixture fixture, JobState state, @Nullable String data, JobState... changes) {
        assertThat(fixture.state("a")).isEqualTo(state);
        assertThat(fixture.data("a")).isEqualTo(Optional.ofNullable(data));
        assertThat(fixture.changesOf("a")).containsExactly(changes);
        assertThat(fixture.rows().pending()).hasSize(state == JobState.PENDING ? 1 : 0);
    }
}
