package dev.couchjobs.bench.profile;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sums of weights by name. */
final class Weights {
    private final Map<String, Long> sums = new HashMap<>();

    void add(String name, long weight) {
        sums.merge(name, weight, Long::sum);
    }

    /** The names with the largest sums, the largest first. */
    List<Profile.Line> top(int count) {
        return sums.entrySet().stream()
                .map(sum -> new Profile.Line(sum.getKey(), sum.getValue()))
                .sorted(Comparator.comparingLong(Profile.Line::weight)
                        .reversed()
                        .thenComparing(Profile.Line::name))
                .limit(count)
                .toList();
    }
}
