package dev.couchjobs.topics.internal.consumers;

import dev.couchjobs.topics.TopicsListener;
import dev.couchjobs.topics.TopicsListener.MessageDeadLettered;
import dev.couchjobs.topics.TopicsListener.MessageFailed;
import dev.couchjobs.topics.TopicsListener.MessagesConsumed;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Tells listeners what becomes of the messages of a partition. Without listeners it reads no clock. */
record RunReports(ConsumerSettings<?> settings, int partition) {

    /** A round that has begun. */
    record Round(RunReports reports, Instant begun) {

        void consumed(int messages) {
            reports.report(
                    "consumed",
                    () -> new MessagesConsumed(
                            reports.topic(),
                            reports.settings.group(),
                            reports.partition,
                            messages,
                            Duration.between(begun, reports.now())),
                    event -> listener -> listener.consumed(event));
        }
    }

    Round begin() {
        return new Round(this, settings.listeners().isEmpty() ? Instant.EPOCH : now());
    }

    void failed(int failures, Throwable cause) {
        report(
                "failed",
                () -> new MessageFailed(topic(), settings.group(), partition, failures, String.valueOf(cause)),
                event -> listener -> listener.failed(event));
    }

    void deadLettered() {
        report(
                "deadLettered",
                () -> new MessageDeadLettered(topic(), settings.group(), partition),
                event -> listener -> listener.deadLettered(event));
    }

    private <E> void report(String name, Supplier<E> event, Function<E, Consumer<TopicsListener>> call) {
        if (!settings.listeners().isEmpty()) {
            settings.listeners().report(name, call.apply(event.get()));
        }
    }

    private String topic() {
        return settings.topic().name();
    }

    private Instant now() {
        return settings.environment().clock().instant();
    }
}
