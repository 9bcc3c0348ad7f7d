package dev.couchjobs.topics.internal.messages;

import dev.couchjobs.JsonCodec;
import dev.couchjobs.PayloadException;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.internal.log.MessageRow;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.time.Instant;
import java.util.Objects;

/** Values of messages as they are stored. */
public record Values(JsonCodec codec) {

    /** {@return the row of a message} */
    public <T> MessageRow encode(Topic<T> topic, NewMessage<T> message, long token, Instant now) {
        return new MessageRow(
                        token,
                        now,
                        message.key().orElse(null),
                        message.headers(),
                        message.value().map(value -> encode(topic, value)).orElse(null))
                .checked();
    }

    private byte[] encode(Topic<?> topic, Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.clone();
        }
        try {
            return Objects.requireNonNull(codec.write(value, topic.valueType()), "the codec has returned null");
        } catch (Throwable e) { // also an error: the codec and the classes of values are the user's
            throw failure("A message of topic \"" + topic.name() + "\" cannot be written as ", topic, e);
        }
    }

    <T> T decode(Topic<T> topic, byte[] value) {
        if (topic.valueType() == byte[].class) {
            return topic.valueType().cast(value.clone());
        }
        try {
            return topic.valueType().cast(codec.read(value, topic.valueType()));
        } catch (Throwable e) { // as above
            throw failure("A message of topic \"" + topic.name() + "\" cannot be read as ", topic, e);
        }
    }

    private static PayloadException failure(String what, Topic<?> topic, Throwable error) {
        return new PayloadException(what + topic.valueType().getName() + ": " + text(error), error);
    }

    private static String text(Throwable error) {
        try {
            return error instanceof Exception && error.getMessage() != null ? error.getMessage() : error.toString();
        } catch (Throwable e) { // the error is of a class of the user's
            return error.getClass().getName();
        }
    }

    /** {@return a message that decodes its value when it is asked for} */
    public <T> Message<T> message(Topic<T> topic, int partition, StoredMessage stored) {
        return new ReadMessage<>(this, topic, partition, stored);
    }
}
