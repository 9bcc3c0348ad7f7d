package dev.couchjobs.costs;

import com.apple.foundationdb.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Stretches of the key space, none within another. */
final class Known {
    private final List<Range> stretches = new ArrayList<>();

    /** Whether one of them covers all of that. */
    boolean covers(Range stretch) {
        return stretches.stream().anyMatch(known -> isWithin(stretch, known));
    }

    void add(Range stretch) {
        if (!covers(stretch)) {
            stretches.removeIf(known -> isWithin(known, stretch));
            stretches.add(stretch);
        }
    }

    int size() {
        return stretches.size();
    }

    private static boolean isWithin(Range inner, Range outer) {
        return Arrays.compareUnsigned(outer.begin, inner.begin) <= 0
                && Arrays.compareUnsigned(inner.end, outer.end) <= 0;
    }
}
