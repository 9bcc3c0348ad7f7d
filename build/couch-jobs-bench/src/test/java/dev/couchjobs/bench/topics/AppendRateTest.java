package dev.couchjobs.bench.topics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.bench.topics.TopicBenchSettings.Point;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class AppendRateTest {
    /** Acknowledges later, by another thread. */
    private static final class SlowLog implements MessageLog {
        @Override
        public CompletableFuture<?> append(List<byte[]> messages) {
            return CompletableFuture.runAsync(() -> {});
        }

        @Override
        public AutoCloseable consume(int consumers, int batch, Consumer<byte[]> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    /** As on a machine where no message passes in the time of a measurement. */
    @ParameterizedTest
    @ValueSource(ints = {1, 64})
    void aTimeInWhichNothingPassesIsMeasuredUntilAMessageHas(int inFlight) throws Exception {
        try (SlowLog log = new SlowLog()) {
            double rate = new AppendRate(log, new Point(inFlight, 1, 100)).measure(0);
            assertThat(rate).isPositive().isFinite();
        }
    }
}
