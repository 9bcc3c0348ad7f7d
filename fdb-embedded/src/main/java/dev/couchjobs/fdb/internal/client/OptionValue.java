package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@code TransactionOptions} and {@code DatabaseOptions} hand over: integers as eight bytes little-endian.
 */
final class OptionValue {
    private OptionValue() {}

    static int integer(byte @Nullable [] value, long min, long max) {
        if (value == null || value.length != Long.BYTES) {
            throw FdbError.INVALID_OPTION_VALUE.exception("an integer is expected");
        }
        long number = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (number < min || number > max) {
            throw FdbError.INVALID_OPTION_VALUE.exception(number + " is not within " + min + " to " + max);
        }
        return (int) number;
    }
}
