package dev.couchjobs.site;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The anchors of the headings of one page, as GitHub names them, so that links work there, too. */
final class Anchors {
    private final Map<String, Integer> taken = new HashMap<>();

    String of(String heading) {
        String name = heading.strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}\\p{M}_ -]", "")
                .replace(' ', '-');
        int before = taken.merge(name, 1, Integer::sum) - 1;
        return before == 0 ? name : name + "-" + before;
    }
}
