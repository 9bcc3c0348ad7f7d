package dev.couchjobs.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The count that the index is checked against: one thread, no database, no jobs.
 *
 * @param totals of the files that could be compared
 * @param leftOut the others, which are gone, cannot be read or have changed since they were listed, and why
 */
record PlainCount(Totals totals, Map<String, String> leftOut) {
    /** Counts files, except those that were skipped before. */
    static PlainCount of(Path root, List<TextFile> files, Map<String, String> skippedBefore) {
        Map<String, Long> counts = new TreeMap<>();
        Map<String, String> leftOut = new TreeMap<>(skippedBefore);
        int counted = 0;
        for (TextFile file : files) {
            if (leftOut.containsKey(file.path())) {
                continue;
            }
            try {
                Map<String, Long> words = count(root.resolve(file.path()));
                if (file.hasChangedUnder(root)) {
                    leftOut.put(file.path(), "it has changed since the run began");
                } else {
                    counted++;
                    words.forEach((word, count) -> counts.merge(word, count, Long::sum));
                }
            } catch (IOException e) {
                leftOut.put(file.path(), TextFile.reason(e));
            }
        }
        return new PlainCount(new Totals(counted, counts), leftOut);
    }

    private static Map<String, Long> count(Path file) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        try (WordReader reader = new WordReader(file)) {
            WordReader.Part part;
            do {
                part = reader.next();
                part.counts().forEach((word, count) -> counts.merge(word, count, Long::sum));
            } while (!part.isLast());
        }
        return counts;
    }
}
