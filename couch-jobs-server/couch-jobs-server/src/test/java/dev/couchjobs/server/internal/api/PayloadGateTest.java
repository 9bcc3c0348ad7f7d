package dev.couchjobs.server.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Reads of payloads wait for their turn. */
class PayloadGateTest {
    private static final int MOST = 2;

    private final PayloadGate gate = new PayloadGate(Runnable::run, MOST);
    private final List<CompletableFuture<String>> begun = new ArrayList<>();

    private CompletableFuture<String> read() {
        return gate.run(() -> {
            CompletableFuture<String> read = new CompletableFuture<>();
            begun.add(read);
            return read;
        });
    }

    @Test
    void readsBeyondTheMostBeginInTheirOrderWhenOthersHaveEnded() {
        List<CompletableFuture<String>> results = List.of(read(), read(), read(), read());
        assertThat(begun).hasSize(MOST);

        begun.get(1).complete("b");
        begun.get(2).completeExceptionally(new IllegalStateException("bad luck"));

        assertThat(begun).hasSize(4);
        assertThat(results.get(1)).isCompletedWithValue("b");
        assertThat(results.get(2)).isCompletedExceptionally();
        begun.get(0).complete("a");
        begun.get(3).complete("d");
        assertThat(results.get(3)).isCompletedWithValue("d");
        assertThat(List.of(read(), read())).noneMatch(CompletableFuture::isDone);
        assertThat(begun).hasSize(6);
    }

    @Test
    void aReadThatThrowsTakesNoPlace() {
        for (int i = 0; i < 3 * MOST; i++) {
            assertThat(gate.run(() -> {
                        throw new NoClassDefFoundError("Missing");
                    }))
                    .isCompletedExceptionally();
        }
        var unused = read();
        assertThat(begun).hasSize(1);
    }

    @Test
    void tooManyThatWaitAreRefused() {
        for (int i = 0; i < MOST + PayloadGate.WAITING_MAX; i++) {
            assertThat(read()).isNotDone();
        }
        assertThat(read()).isCompletedExceptionally();
    }

    /** The pool of the database refuses tasks when the database closes; and it may have no thread for one. */
    @Test
    void readsThatCannotBeginFail() {
        for (Throwable refusal : List.of(new RejectedExecutionException("closed"), new OutOfMemoryError("no thread"))) {
            boolean[] refuses = {true};
            PayloadGate refusing = new PayloadGate(
                    task -> {
                        if (refuses[0]) {
                            throw PayloadGateTest.<RuntimeException>thrown(refusal);
                        }
                        task.run();
                    },
                    1);
            CompletableFuture<String> first = new CompletableFuture<>();
            List<CompletableFuture<String>> all = new ArrayList<>();
            all.add(refusing.run(() -> first));
            for (int i = 0; i < PayloadGate.WAITING_MAX; i++) {
                all.add(refusing.run(() -> CompletableFuture.completedFuture("b")));
            }
            first.complete("a");

            assertThat(all.get(0)).isCompletedWithValue("a");
            assertThat(all.subList(1, all.size())).allMatch(CompletableFuture::isCompletedExceptionally);
            refuses[0] = false;
            assertThat(refusing.run(() -> CompletableFuture.completedFuture("c")))
                    .isCompletedWithValue("c");
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the caller infers that it throws no checked one
    private static <T extends Throwable> T thrown(Throwable error) throws T {
        throw (T) error;
    }
}
