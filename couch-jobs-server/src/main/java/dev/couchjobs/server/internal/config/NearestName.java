package dev.couchjobs.server.internal.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Finds the valid name that is most similar to an invalid one. */
final class NearestName {
    private NearestName() {}

    /** {@return a question to append to an error; empty if no name is similar} */
    static String hint(String wrong, Collection<String> names) {
        int farthest = (wrong.length() + 2) / 3;
        return names.stream()
                .filter(name -> distance(wrong, name) <= farthest || name.startsWith(wrong))
                .min(Comparator.comparingInt((String name) -> distance(wrong, name))
                        .thenComparing(Comparator.naturalOrder()))
                .map(name -> "; did you mean \"" + name + "\"?")
                .orElse("");
    }

    /** The number of letters to insert, remove or replace, without regard to case. */
    private static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
