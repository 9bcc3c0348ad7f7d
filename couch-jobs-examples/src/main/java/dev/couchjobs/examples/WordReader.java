package dev.couchjobs.examples;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the words of a file part by part, so that however large the file, a part is quickly read and fits into one
 * transaction. The same file always has the same parts.
 *
 * <p>A word is a run of letters, in lower case. The text is taken for UTF-8; bytes that are not are no letters.
 */
final class WordReader implements Closeable {
    private static final int DIFFERENT_WORDS_PER_PART = 1_000;
    private static final int CHARS_PER_PART = 1 << 18;
    private static final int WORD_CHARS_MAX = 100;

    private final Reader in;
    private int parts;

    WordReader(Path file) throws IOException {
        in = new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8));
    }

    /**
     * One part of a file.
     *
     * @param number counted from 0
     * @param counts how often each word occurs in it
     * @param isLast whether the file ends with it
     */
    record Part(int number, Map<String, Long> counts, boolean isLast) {
        long words() {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /** {@return the next part, which is empty if the file is} */
    Part next() throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        StringBuilder word = new StringBuilder();
        int chars = 0;
        int c = read();
        while (c >= 0) {
            chars++;
            if (Character.isLetter(c)) {
                append(word, c);
            } else {
                add(word, counts);
                if (chars >= CHARS_PER_PART || counts.size() >= DIFFERENT_WORDS_PER_PART) {
                    return new Part(parts++, counts, false);
                }
            }
            c = read();
        }
        add(word, counts);
        return new Part(parts++, counts, true);
    }

    private static void append(StringBuilder word, int letter) {
        if (word.length() <= WORD_CHARS_MAX) {
            word.appendCodePoint(letter);
        }
    }

    private static void add(StringBuilder word, Map<String, Long> counts) {
        // What is longer is no word but data, and could be longer than a key may be.
        if (!word.isEmpty() && word.length() <= WORD_CHARS_MAX) {
            counts.merge(word.toString().toLowerCase(Locale.ROOT), 1L, Long::sum);
        }
        word.setLength(0);
    }

    /** {@return the next code point, or -1 at the end} */
    private int read() throws IOException {
        int first = in.read();
        return first >= 0 && Character.isHighSurrogate((char) first)
                ? Character.toCodePoint((char) first, (char) in.read())
                : first;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
