package dev.couchjobs.server.internal.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.internal.api.PayloadGate;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class MessagesInTurnTest {
    private static final int CLIENTS = 1_000;
    private static final MessagePage<byte[]> PAGE =
            new MessagePage<>(List.of(), Offset.parse("0".repeat(24)), true, Optional.empty());

    private final List<CompletableFuture<MessagePage<byte[]>>> reads = new ArrayList<>();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private int atOnce;
    private int mostAtOnce;

    private final Messages messages = new Messages() {
        @Override
        public CompletableFuture<MessagePage<byte[]>> read(Position from, int limit) {
            CompletableFuture<MessagePage<byte[]>> read = new CompletableFuture<>();
            reads.add(read);
            atOnce++;
            mostAtOnce = Math.max(mostAtOnce, atOnce);
            return read;
        }

        @Override
        public CompletableFuture<Boolean> await(Position from, Duration timeout) {
            return CompletableFuture.completedFuture(false);
        }
    };

    /** What many clients are sent at once is made of few messages at a time, also if that takes its time. */
    @Test
    void whatIsMadeOfMessagesIsAPartOfTheTurn() {
        MessagesInTurn inTurn = new MessagesInTurn(messages, new PayloadGate(tasks::add));
        for (int i = 0; i < CLIENTS; i++) {
            var unused = inTurn.read(Position.earliest(), 1, page -> {
                atOnce--;
                return true;
            });
        }
        assertThat(reads).hasSizeLessThan(CLIENTS);
        for (int i = 0; i < reads.size(); i++) {
            reads.get(i).complete(PAGE);
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
        }

        assertThat(reads).hasSize(CLIENTS);
        assertThat(atOnce).isZero();
        assertThat(mostAtOnce).isLessThanOrEqualTo(256);
    }
}
