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
record Verb<G, R>(
        String name,
        Set<Fault> faults,
        Duration timeout,
        Function<Scene, G> given,
        BiFunction<Scene, G, CompletableFuture<R>> when,
        Outcome<G, R> then) {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Set<Fault> AT_READ = EnumSet.of(
            Fault.TOO_OLD_AT_READ,
            Fault.FUTURE_VERSION_AT_READ,
            Fault.BEHIND_AT_READ,
            Fault.LOCKED_AT_READ,
            Fault.THROTTLED_AT_READ);
    private static final Set<Fault> AT_COMMIT = EnumSet.of(
            Fault.CONFLICT,
            Fault.UNKNOWN_BUT_COMMITTED,
            Fault.UNKNOWN_AND_NOT_COMMITTED,
            Fault.TOO_OLD_AT_COMMIT,
            Fault.FUTURE_VERSION_AT_COMMIT,
            Fault.LOCKED_AT_COMMIT);
    private static final Set<Fault> AT_BOTH = union(AT_READ, AT_COMMIT);

    /** What is to be seen afterwards. */
    @FunctionalInterface
    interface Outcome<G, R> {
        void look(Scene scene, G given, R result);
    }

    /** A verb that reads and commits what it writes. */
    static <G, R> Verb<G, R> writing(
            String name,
            Function<Scene, G> given,
            BiFunction<Scene, G, CompletableFuture<R>> when,
            Outcome<G, R> then) {
        return new Verb<>(name, AT_BOTH, TIMEOUT, given, when, then);
    }

    /** A verb that commits without having read. */
    static <G, R> Verb<G, R> blind(
            String name,
            Function<Scene, G> given,
            BiFunction<Scene, G, CompletableFuture<R>> when,
            Outcome<G, R> then) {
        return new Verb<>(name, AT_COMMIT, TIMEOUT, given, when, then);
    }

    /** A verb that writes nothing: nothing can go wrong with its commit. */
    static <G, R> Verb<G, R> reading(
            String name,
            Function<Scene, G> given,
            BiFunction<Scene, G, CompletableFuture<R>> when,
            Outcome<G, R> then) {
        return new Verb<>(name, AT_READ, TIMEOUT, given, when, then);
    }

    private static Set<Fault> union(Set<Fault> some, Set<Fault> others) {
        Set<Fault> all = EnumSet.copyOf(some);
        all.addAll(others);
        return all;
    }

    Verb<G, R> withTimeout(Duration activityTimeout) {
        return new Verb<>(name, faults, activityTimeout, given, when, then);
    }

    /** {@return whether the fault struck before the verb was done} */
    boolean survives(Stage stage, Fault fault, int nth) {
        try (Scene scene = new Scene(stage, timeout)) {
            G given = this.given.apply(scene);
            scene.script.nth(nth, fault);
            R result = scene.await(when.apply(scene, given));
            boolean struck = scene.script.struck() > 0;
            scene.script.clear();
            then.look(scene, given, result);
            assertThat(scene.rows().contradictions()).isEmpty();
            return struck;
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** Checks the state and the data of job "a", the whole of its history, and that it is in the queue once or not. */
    static void shows(Scene scene, JobState state, @Nullable String data, JobState... changes) {
        assertThat(scene.state("a")).isEqualTo(state);
        assertThat(scene.data("a")).isEqualTo(Optional.ofNullable(data));
        assertThat(scene.changesOf("a")).containsExactly(changes);
        assertThat(scene.rows().pending()).hasSize(state == JobState.PENDING ? 1 : 0);
    }
}
