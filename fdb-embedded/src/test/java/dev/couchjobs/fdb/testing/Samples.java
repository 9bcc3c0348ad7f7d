package dev.couchjobs.fdb.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.assertj.core.api.ThrowingConsumer;

/**
 * The random values that one try of a property is checked with. All of them follow from the seed of the try.
 *
 * <p>{@link #check} runs a property with many seeds, and names the seed that fails; {@code -Dsimulation.seed=42} runs
 * that one alone (see {@link Seeds}). Values at the edge of their range come far more often than chance would give them.
 */
public final class Samples {
    /** One value in so many is one at the edge. */
    private static final int EDGE = 8;

    /** Most lists have at most so many elements more than they must, since a short one tells why a property fails. */
    private static final int SHORT = 32;

    /** So many times the tries of the default run follow in the profile {@code long}. */
    private static final long LONG_RUN = 10;

    private final SplittableRandom random;

    private Samples(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /**
     * Checks the property once with each of so many seeds; in the profile {@code long}, with ten times as many others.
     *
     * @throws AssertionError that names the first seed with which the property fails, and has the failure as its cause
     */
    public static void check(int tries, ThrowingConsumer<Samples> property) {
        Seeds.of(tries, LONG_RUN * tries).forEach(seed -> {
            try {
                property.accept(new Samples(seed));
            } catch (RuntimeException | Error e) {
                throw new AssertionError("Fails with -Dsimulation.seed=" + seed + ": " + e, e);
            }
        });
    }

    public boolean anyBoolean() {
        return random.nextBoolean();
    }

    /** {@return whether the one case of so many has come} */
    public boolean isOneOf(int cases) {
        return choice(cases) == 0;
    }

    /** {@return which of so many cases has come, from 0 on: each as often as any other} */
    public int choice(int cases) {
        return random.nextInt(cases);
    }

    public int anyInt() {
        return between(Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    public long anyLong() {
        return between(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** {@return a seed for another source of random values: any number, each as often as any other} */
    public long seed() {
        return random.nextLong();
    }

    /** {@return any double but NaN: an edge, a small number, or any bits} */
    public double anyDouble() {
        if (isOneOf(EDGE)) {
            return of(
                    0.0, -0.0, Double.MIN_VALUE, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
        }
        double bits = Double.longBitsToDouble(random.nextLong());
        return anyBoolean() || Double.isNaN(bits) ? random.nextGaussian() : bits;
    }

    /** {@return a number from least to greatest, both included} */
    public int between(int least, int greatest) {
        return (int) between((long) least, (long) greatest);
    }

    /** {@return a number from least to greatest, both included} */
    public long between(long least, long greatest) {
        if (isOneOf(EDGE)) {
            long near = of(least, greatest, 0L, 1L, -1L);
            return Math.max(least, Math.min(greatest, near));
        }
        // Beside uniform numbers those of few bits, as users have them.
        long drawn = anyBoolean() ? random.nextLong() : random.nextLong() >> choice(Long.SIZE);
        if (drawn >= least && drawn <= greatest) {
            return drawn;
        }
        long width = greatest - least + 1;
        return least + (width <= 0 ? drawn >>> 1 : Math.floorMod(drawn, width));
    }

    /** {@return one of the values, each as often as any other} */
    @SafeVarargs
    public final <T> T of(T... values) {
        return values[choice(values.length)];
    }

    /** {@return one of the values, each as often as any other} */
    public <T> T of(List<? extends T> values) {
        return values.get(choice(values.size()));
    }

    /** {@return a value of one of the kinds, each kind as often as any other} */
    @SafeVarargs
    public final <T> T oneOf(Function<Samples, ? extends T>... kinds) {
        return kinds[choice(kinds.length)].apply(this);
    }

    /** {@return a list of least to greatest elements, both included} */
    public <T> List<T> list(int least, int greatest, Function<Samples, ? extends T> element) {
        int most = isOneOf(4) ? greatest : Math.min(greatest, least + SHORT);
        int size = least + choice(most - least + 1);
        List<T> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(element.apply(this));
        }
        return list;
    }

    /** {@return at most so many bytes, of any value} */
    public byte[] bytes(int longest) {
        return bytes(0, longest);
    }

    /** {@return least to greatest bytes, both included, of any value} */
    public byte[] bytes(int least, int greatest) {
        byte[] bytes = new byte[between(least, greatest)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) between(Byte.MIN_VALUE, Byte.MAX_VALUE);
        }
        return bytes;
    }

    /** {@return a text of at most so many of the characters} */
    public String text(int longest, String characters) {
        StringBuilder text = new StringBuilder();
        for (int size = choice(longest + 1); size > 0; size--) {
            text.append(characters.charAt(choice(characters.length())));
        }
        return text.toString();
    }

    /** {@return a text of at most so many characters: ASCII, any letters, pairs, or halves of pairs too} */
    public String text(int longest) {
        StringBuilder text = new StringBuilder();
        int size = between(0, longest);
        int last = of(0x7f, 0xd7ff, 0xffff, Character.MAX_CODE_POINT);
        while (text.length() < size) {
            text.appendCodePoint(between(0, last));
        }
        text.setLength(size);
        return text.toString();
    }
}
