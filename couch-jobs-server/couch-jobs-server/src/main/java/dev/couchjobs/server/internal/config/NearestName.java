package dev.couchjobs.server.internal.config;

import dev.couchjobs.server.internal.http.EditDistance;
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

    private static int distance(String one, String other) {
        return EditDistance.between(one.toLowerCase(Locale.ROOT), other.toLowerCase(Locale.ROOT));
    }
}
