package dev.couchjobs.examples;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What an index amounts to.
 *
 * @param files how many files are in it
 * @param counts how often each word occurs in them
 */
record Totals(int files, Map<String, Long> counts) {
    long words() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    int differentWords() {
        return counts.size();
    }

    /** {@return a number of things, such as 1 file or 2 files} */
    static String counted(int number, String thing) {
        return String.format(Locale.ROOT, "%,d %s%s", number, thing, number == 1 ? "" : "s");
    }

    /** {@return the most frequent words with their numbers, as one line} */
    String top(int howMany) {
        List<Map.Entry<String, Long>> most = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(howMany)
                .toList();
        return most.stream()
                .map(entry -> String.format(Locale.ROOT, "%s %,d", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
