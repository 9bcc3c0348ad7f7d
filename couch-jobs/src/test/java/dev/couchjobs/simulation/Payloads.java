package dev.couchjobs.simulation;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The data of jobs: no two of them are equal, and each long one says how long it is. */
final class Payloads {
    /** Such a text with the quotation marks around it is kept in the row of its job. */
    private static final int INLINE_MAX = 4_096 - 2;

    private static final int LONG_ONE_IN = 8;
    private static final char LENGTH_BEGINS = ':';
    private static final char FILLER = 'x';

    private final int longest;

    /** @param longest the length of the longest, in letters */
    Payloads(int longest) {
        this.longest = longest;
    }

    /** {@return data that is short as a rule} */
    String next(RandomGenerator random) {
        String unique = unique(random);
        return random.nextInt(LONG_ONE_IN) == 0 ? filled(unique, length(random)) : unique;
    }

    /** {@return data that is short} */
    static String unique(RandomGenerator random) {
        return Long.toHexString(random.nextLong());
    }

    /** Lengths of every order of magnitude are as frequent; the longest is one of them. */
    private int length(RandomGenerator random) {
        int most = longest;
        while (most > 2 * INLINE_MAX && random.nextBoolean()) {
            most /= 4;
        }
        return random.nextInt(4) == 0 ? most : random.nextInt(INLINE_MAX / 2, most);
    }

    private static String filled(String unique, int length) {
        String begin = unique + LENGTH_BEGINS + length + LENGTH_BEGINS;
        return begin + String.valueOf(FILLER).repeat(length - begin.length());
    }

    /** {@return whether nothing is missing of it} */
    static boolean isWhole(String data) {
        int begin = data.indexOf(LENGTH_BEGINS);
        return begin < 0 || data.substring(begin + 1).startsWith(data.length() + String.valueOf(LENGTH_BEGINS));
    }

    /** {@return the data as it is kept in the row of its job, or null if it is too long for that} */
    static @Nullable String inline(String data) {
        return data.length() <= INLINE_MAX ? MainRow.json(data) : null;
    }
}
