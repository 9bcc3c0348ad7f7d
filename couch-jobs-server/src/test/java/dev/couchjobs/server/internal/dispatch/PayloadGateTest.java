package dev.couchjobs.server.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
}
