package dev.couchjobs.topics.internal.messages;

import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.internal.log.MessageRow;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A message whose value is decoded when it is asked for: one that cannot be decoded does not stop those beside it. */
record ReadMessage<T>(Values values, Topic<T> topic, int partition, StoredMessage stored) implements Message<T> {

    @Override
    public Offset offset() {
        return new Offset(stored.stamp());
    }

    private MessageRow row() {
        if (stored.row() == null) {
            throw Objects.requireNonNull(stored.problem());
        }
        return stored.row();
    }

    @Override
    public Optional<String> key() {
        return Optional.ofNullable(row().key());
    }

    @Override
    public Map<String, String> headers() {
        return row().headers();
    }

    @Override
    public Instant appendedAt() {
        return row().appendedAt();
    }

    @Override
    public boolean isDeletion() {
        return row().isDeletion();
    }

    @Override
    public T value() {
        byte[] value = row().value();
        if (value == null) {
            throw new IllegalStateException("The message at offset " + offset() + " of topic \"" + topic.name()
                    + "\" deletes the key \"" + row().key() + "\", and has no value: ask isDeletion first.");
        }
        return values.decode(topic, value);
    }

    @Override
    public String toString() {
        return "Message[" + topic.name() + " " + partition + " " + offset() + "]";
    }
}
