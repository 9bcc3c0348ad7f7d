package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Draws arguments: keys are few and values short, so that operations meet. */
final class Draw {

    private static final List<String> NAMES = List.of("", "a", "a\0", "aa", "b", "b\0c", "c", "d", "e", "f", "\u00fe");
    private static final List<Byte> DIGITS = List.of((byte) 0, (byte) 1, (byte) 0x7f, (byte) 0x80, (byte) 0xff);
    private static final List<String> CALCULATIONS = List.of(
            "ADD",
            "BIT_AND",
            "BIT_OR",
            "BIT_XOR",
            "MAX",
            "MIN",
            "BYTE_MIN",
            "BYTE_MAX",
            "APPEND_IF_FITS",
            "COMPARE_AND_CLEAR");
    /** Doing these twice, as a retry after an unknown result may, is doing them once. */
    private static final List<String> IDEMPOTENT = List.of("BIT_AND", "BIT_OR", "MAX", "MIN", "BYTE_MIN", "BYTE_MAX");

    private static final int FAR = 1_000;

    private final Random random;

    Draw(long seed) {
        this.random = new Random(seed);
    }

    <T> T of(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @SafeVarargs
    final <T> T of(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** Between these two, both included. */
    int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    byte[] key() {
        return ProgramKeys.bytes(ProgramKeys.WORK + of(NAMES));
    }

    byte[] copyKey() {
        return ProgramKeys.bytes(ProgramKeys.COPIES + of(NAMES));
    }

    /** A key anywhere, mostly where most is going on. */
    byte[] anyKey() {
        String area = once(6)
                ? of(ProgramKeys.COPIES, ProgramKeys.STAMPED_KEYS, ProgramKeys.STAMPED_VALUES, ProgramKeys.PREFIX)
                : ProgramKeys.WORK;
        return ProgramKeys.bytes(area + of(NAMES));
    }

    /** Two keys in order; rarely inverted, which is an error. */
    List<Object> bounds() {
        byte[] one = anyKey();
        byte[] other = anyKey();
        boolean swap = Arrays.compareUnsigned(one, other) > 0 && !once(12);
        return swap ? List.of(other, one) : List.of(one, other);
    }

    byte[] value() {
        if (once(20)) {
            return new byte[between(200, 400)];
        }
        byte[] value = new byte[between(0, 4)];
        for (int i = 0; i < value.length; i++) {
            value[i] = of(DIGITS);
        }
        return value;
    }

    /** {@code LIMIT, REVERSE, STREAMING_MODE}. */
    List<Object> rangeOptions() {
        StreamingMode mode = of(StreamingMode.values());
        boolean unlimited = once(mode == StreamingMode.EXACT ? 20 : 3);
        long limit = unlimited ? 0 : between(1, once(4) ? 50 : 4);
        return List.of(limit, flag(), (long) mode.code());
    }

    /** {@code KEY, OR_EQUAL, OFFSET}, not leading over the fence. */
    List<Object> selector() {
        return List.of(key(), flag(), (long) between(-6, 7));
    }

    /** One that may lead out of the database, on this side. */
    List<Object> farSelector(boolean forwards) {
        int steps = between(0, FAR);
        return List.of(key(), flag(), (long) (forwards ? steps : -steps));
    }

    String mutation() {
        return of(CALCULATIONS);
    }

    String idempotentMutation() {
        return of(IDEMPOTENT);
    }

    long flag() {
        return random.nextInt(2);
    }

    /** An operand with place for a stamp. */
    byte[] stampable(String prefix) {
        String before = prefix + of(NAMES);
        byte[] open = ProgramKeys.bytes(before + "\0".repeat(Versionstamp.LENGTH - 2) + of(NAMES));
        return ByteArrayUtil.join(open, StampedTuple.offset(before.length()));
    }

    /** Elements of a tuple. */
    List<@Nullable Object> elements(int most) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = between(0, most); i > 0; i--) {
            elements.add(element());
        }
        return elements;
    }

    @Nullable Object element() {
        return switch (between(0, 9)) {
            case 0 -> null;
            case 1 -> value();
            case 2 -> of("", "a", "\0", "\u00e9\ud83d\udca9");
            case 3 -> random.nextBoolean();
            case 4 -> (float) random.nextGaussian();
            case 5 -> random.nextDouble();
            case 6 -> new UUID(random.nextLong(), random.nextLong());
            case 7 -> Tuple.from("nested", value(), null);
            case 8 -> new BigInteger(between(0, 100), random).negate();
            default -> random.nextLong() >> between(0, 63);
        };
    }

    long number() {
        return random.nextLong() >> between(2, 63);
    }
}
