package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.testing.Callbacks;
import dev.couchjobs.loop.GuardedExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the executor of a transaction, or repeated work, throws: each task runs once, and each repetition ends. */
class GuardedExecutorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int DEEP = 100_000;

    static Set<String> throwables() {
        return Callbacks.THROWABLES.keySet();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void anExecutorThatThrowsHasASubstitute(String what) {
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        Executor guarded = GuardedExecutor.of(transaction(task -> {
            throw sneaky(what);
        }));
        CompletableFuture<Void> repeated = GuardedExecutor.whileTrue(turns(turn), guarded);
        turn.complete(true);

        assertThat(repeated).succeedsWithin(PATIENCE);
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void anExecutorThatTakesATaskAndThrowsRunsItOnce(String what) {
        Queue<String> runs = new ArrayDeque<>();
        Executor guarded = GuardedExecutor.of(transaction(task -> {
            task.run();
            throw sneaky(what);
        }));
        CompletableFuture<Void> last = new CompletableFuture<>();
        guarded.execute(() -> runs.add("first"));
        guarded.execute(() -> last.complete(null));

        assertThat(last).succeedsWithin(PATIENCE);
        assertThat(runs).containsExactly("first");
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void workThatThrowsEndsTheRepetition(String what) {
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        CompletableFuture<Void> atOnce = GuardedExecutor.whileTrue(
                () -> {
                    throw sneaky(what);
                },
                Runnable::run);
        CompletableFuture<Void> later = GuardedExecutor.whileTrue(turns(turn, what), Runnable::run);
        turn.complete(true);

        assertThat(atOnce).isCompletedExceptionally();
        assertThat(later).isCompletedExceptionally();
    }

    @Test
    void anExecutorThatIsShutDownEndsTheRepetition() {
        CompletableFuture<Boolean> turn = new CompletableFuture<>();
        CompletableFuture<Void> repeated = GuardedExecutor.whileTrue(() -> turn, task -> {
            throw new RejectedExecutionException("shut down");
        });
        turn.complete(true);

        assertThat(repeated).isCompletedExceptionally();
    }

    @Test
    void manyTurnsThatEndAtOnceAreNoDeepStack() {
        int[] turns = {0};
        CompletableFuture<Void> repeated =
                GuardedExecutor.whileTrue(() -> CompletableFuture.completedFuture(++turns[0] < DEEP), Runnable::run);

        assertThat(repeated).isCompleted();
        assertThat(turns[0]).isEqualTo(DEEP);
    }

    /** {@return a turn that the test ends, and a last one} */
    private static Supplier<CompletableFuture<Boolean>> turns(CompletableFuture<Boolean> first) {
        Queue<CompletableFuture<Boolean>> turns = new ArrayDeque<>();
        turns.add(first);
        turns.add(CompletableFuture.completedFuture(false));
        return turns::remove;
    }

    /** {@return a turn that the test ends, and one that throws} */
    private static Supplier<CompletableFuture<Boolean>> turns(CompletableFuture<Boolean> first, String what) {
        Queue<CompletableFuture<Boolean>> turns = new ArrayDeque<>();
        turns.add(first);
        return () -> {
            if (turns.isEmpty()) {
                throw sneaky(what);
            }
            return turns.remove();
        };
    }

    private static ReadTransaction transaction(Executor executor) {
        return DatabaseProxies.to(ReadTransaction.class, (self, method, arguments) -> executor);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // to throw what the compiler does not see
    private static <E extends Throwable> RuntimeException sneaky(String what) throws E {
        throw (E) Objects.requireNonNull(Callbacks.THROWABLES.get(what)).get();
    }
}
