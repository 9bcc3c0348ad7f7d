package dev.couchjobs.topics.internal.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A number of messages and of their bytes. As the value of a partition's tail it is one little-endian number of 128
 * bits, bytes below messages, so that one atomic addition counts both.
 */
public record Amount(long messages, long bytes) {
    public static final Amount NOTHING = new Amount(0, 0);

    static Amount decode(byte @Nullable [] value) {
        if (value == null) {
            return NOTHING;
        }
        ByteBuffer numbers = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        long bytes = numbers.getLong();
        return new Amount(numbers.getLong(), bytes);
    }

    byte[] encode() {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(bytes)
                .putLong(messages)
                .array();
    }

    Amount plus(Amount other) {
        return new Amount(messages + other.messages, bytes + other.bytes);
    }

    Amount minus(Amount other) {
        return new Amount(messages - other.messages, bytes - other.bytes);
    }
}
