package dev.couchjobs.bridge.internal.document;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Finds the name that the writer may have meant. */
public final class NameSuggestion {
    private static final int LONGEST = 100;
    /** Letters of a name from which it may be known without the rest. */
    private static final int BEGINNING = 3;

    private NameSuggestion() {}

    /** {@return a question to end a complaint with, or nothing if no name is near} */
    public static String hint(String wrong, Collection<String> names) {
        if (wrong.length() > LONGEST) {
            return "";
        }
        int farthest = (wrong.length() + 2) / 3;
        return names.stream()
                .filter(name -> distance(wrong, name) <= farthest || isBeginning(wrong, name))
                .min(Comparator.comparingInt((String name) -> distance(wrong, name))
                        .thenComparing(Comparator.naturalOrder()))
                .map(name -> "; did you mean \"" + name + "\"?")
                .orElse("");
    }

    private static boolean isBeginning(String wrong, String name) {
        return wrong.length() >= BEGINNING && name.regionMatches(true, 0, wrong, 0, wrong.length());
    }

    /** How many letters have to be put in, taken out or replaced, whatever their case. */
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
