package dev.couchjobs.bridge.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds what somebody may have meant by a name that does not exist. */
public final class Nearest {
    private static final int MOST = 3;

    private Nearest() {}

    /**
     * Finds the names that differ the least, by the number of letters to put in, take out or replace.
     *
     * @param name the one that does not exist
     * @param known those that do
     * @return at most three, the nearest first, in a stable order; none where nothing is near
     */
    public static List<String> names(String name, Collection<String> known) {
        int tolerated = Math.max(2, name.length() / 2);
        return known.stream()
                .filter(candidate -> distance(name, candidate) <= tolerated)
                .sorted(Comparator.<String>comparingInt(candidate -> distance(name, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    /**
     * The name that differs the least.
     *
     * @param name the one that does not exist
     * @param known those that do
     * @return it, if there is one that is near
     */
    public static Optional<String> name(String name, Collection<String> known) {
        return names(name, known).stream().findFirst();
    }

    /** Levenshtein's, with two rows of his table, and without regard to case. */
    private static int distance(String one, String other) {
        String from = one.toLowerCase(Locale.ROOT);
        String to = other.toLowerCase(Locale.ROOT);
        int[] above = new int[to.length() + 1];
        for (int column = 0; column < above.length; column++) {
            above[column] = column;
        }
        for (int row = 1; row <= from.length(); row++) {
            int[] current = new int[above.length];
            current[0] = row;
            for (int column = 1; column < current.length; column++) {
                int replaced = above[column - 1] + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
                current[column] = Math.min(replaced, 1 + Math.min(above[column], current[column - 1]));
            }
            above = current;
        }
        return above[to.length()];
    }
}
