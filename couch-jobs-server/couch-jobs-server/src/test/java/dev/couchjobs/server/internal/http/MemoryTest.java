package dev.couchjobs.server.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients hold that wait. */
class MemoryTest {
    private static final int KILOBYTES = 1_024;

    private final Memory memory = new Memory(KILOBYTES);

    private WaitingClient client() {
        return new WaitingClient(ClientConnection.UNWATCHED, memory);
    }

    private List<WaitingClient> waiting(int things) {
        List<WaitingClient> all = new ArrayList<>();
        while (true) {
            WaitingClient client = client();
            try {
                client.watch(things, () -> {});
                all.add(client);
            } catch (ProblemException e) {
                assertThat(e.problem().status()).isEqualTo(503);
                return all;
            }
        }
    }

    @Test
    void allThatWaitShareAPartOfTheHeap() {
        List<WaitingClient> first = waiting(1);
        assertThat(first).hasSizeBetween(20, 40);
        assertThat(waiting(1)).isEmpty();
        client().watch(0, () -> {}); // who does not wait needs no room

        first.forEach(WaitingClient::unwatch);
        first.forEach(WaitingClient::unwatch);
        assertThat(waiting(1)).hasSameSizeAs(first);
    }

    @Test
    void whoWaitsForManyThingsTakesMore() {
        assertThat(waiting(200)).hasSize(1);
        assertThatThrownBy(() -> client().watch(100, () -> {})).isInstanceOf(ProblemException.class);
    }

    @Test
    void roomThatIsTakenAfterTheEndIsGivenBack() {
        for (int i = 0; i < 1_000; i++) {
            WaitingClient client = client();
            client.unwatch();
            client.watch(1, () -> {});
        }
        assertThat(waiting(1)).isNotEmpty();
    }
}
