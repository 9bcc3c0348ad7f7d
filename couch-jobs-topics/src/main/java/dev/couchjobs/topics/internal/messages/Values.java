package dev.couchjobs.topics.internal.messages;

import dev.couchjobs.JsonCodec;
import dev.couchjobs.PayloadException;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.internal.log.MessageRow;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.time.Instant;

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
            return codec.write(value, topic.valueType());
        } catch (Exception e) { // codecs declare any
            throw new PayloadException(
                    "A message of topic \"" + topic.name() + "\" cannot be written as "
                            + topic.valueType().getName() + ": " + e.getMessage(),
                    e);
        }
    }

    <T> T decode(Topic<T> topic, byte[] value) {
        if (topic.valueType() == byte[].class) {
            return topic.valueType().cast(value.clone());
        }
        try {
            return topic.valueType().cast(codec.read(value, topic.valueType()));
        } catch (Exception e) { // codecs declare any
            throw new PayloadException(
                    "A message of topic \"" + topic.name() + "\" cannot be read as "
                            + topic.valueType().getName() + ": " + e.getMessage(),
                    e);
        }
    }

    /** {@return a message that decodes its value when it is asked for} */
    public <T> Message<T> message(Topic<T> topic, int partition, StoredMessage stored) {
        return new ReadMessage<>(this, topic, partition, stored);
    }
}
