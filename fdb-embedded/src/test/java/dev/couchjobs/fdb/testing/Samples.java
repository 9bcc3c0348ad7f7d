package dev.couchjobs.fdb.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The random values that one try of a property is checked with. All of them follow from the seed of the try.
 *
 * <p>{@link #check} runs a property with many seeds, and names the seed that fails; {@code -Dsimulation.seed=42} runs
 * that one alone (see {@link Seeds}). Values at the edge of their range come far more often than chance would give them.
 */
public final class Samples {
    /** One value in so many is one at the edge. */
    private static final int EDGE = 8;

    /** Spreads seeds that follow one another over all the states of the generator. */
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private final Random random;

    private Samples(long seed) {
        this.random = new Random((seed + 1) * GOLDEN);
    }

    /**
     * Checks the property once with each of so many seeds.
     *
     * @throws AssertionError that names the first seed with which the property fails, and has the failure as its cause
     */
    public static void check(int tries, Consumer<Samples> property) {
        Seeds.of(tries, tries).forEach(seed -> {
            try {
                property.accept(new Samples(seed));
            } catch (RuntimeException | Error e) {
                throw new AssertionError("Fails with -Dsimulation.seed=" + seed + ": " + e.getMessage(), e);
            }
        });
    }

    public boolean anyBoolean() {
        return random.nextBoolean();
    }

    /** {@return whether the one case of so many has come} */
    public boolean isOneOf(int cases) {
        return random.nextInt(cases) == 0;
    }

    public int anyInt() {
        return (int) between(Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    public long anyLong() {
        return between(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /** {@return any double but NaN: an edge, a small number, or any bits} */
    public double anyDouble() {
        if (isOneOf(EDGE)) {
            return of(0.0, -0.0, Double.MIN_VALUE, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
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
        long width = greatest - least + 1;
        // Beside uniform numbers those of few bits, as users have them.
        long drawn = anyBoolean() ? random.nextLong() : random.nextLong() >> random.nextInt(Long.SIZE);
        if (width <= 0) {
            return drawn >= least && drawn <= greatest ? drawn : least + (drawn >>> 1);
        }
        return least + Math.floorMod(drawn, width);
    }

    /** {@return one of the values} */
    @SafeVarargs
    public final <T> T of(T... values) {
        return values[random.nextInt(values.length)];
    }

    /** {@return one of the values} */
    public <T> T of(List<? extends T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** {@return a value of one of the kinds} */
    @SafeVarargs
    public final <T> T oneOf(Function<Samples, ? extends T>... kinds) {
        return of(kinds).apply(this);
    }

    /** {@return a list of least to greatest elements, both included} */
    public <T> List<T> list(int least, int greatest, Function<Samples, ? extends T> element) {
        int size = between(least, greatest);
        List<T> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(element.apply(this));
        }
        return list;
    }

    /** {@return at most so many bytes, of any value} */
    public byte[] bytes(int longest) {
        byte[] bytes = new byte[between(0, longest)];
        random.nextBytes(bytes);
        if (bytes.length > 0 && isOneOf(EDGE)) {
            bytes[random.nextInt(bytes.length)] = of((byte) 0, (byte) 0xff);
        }
        return bytes;
    }

    /** {@return a text of at most so many characters: ASCII, any letters, or halves of pairs too} */
    public String text(int longest) {
        StringBuilder text = new StringBuilder();
        int size = between(0, longest);
        int last = of(0x7f, 0xd7ff, 0xffff);
        while (text.length() < size) {
            text.append((char) between(0, last));
        }
        return text.toString();
    }
}
