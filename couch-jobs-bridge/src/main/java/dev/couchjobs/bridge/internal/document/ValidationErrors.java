package dev.couchjobs.bridge.internal.document;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The errors of a document, each with what a person can do. */
final class ValidationErrors {
    private static final int MOST = 20;
    private static final int LONGEST_QUOTE = 60;
    private static final int LONGEST_PATH = 200;

    private final Set<String> sentences = new LinkedHashSet<>();
    private boolean areMore;

    /** Adds an error. */
    void add(String path, String what) {
        if (sentences.size() < MOST) {
            sentences.add(path.isEmpty() ? what : shorten(path, LONGEST_PATH) + ": " + what);
        } else {
            areMore = true;
        }
    }

    /** {@return a question to append to an error; empty if no name is similar, or people will not see the error} */
    String hint(String wrong, Collection<String> names) {
        return sentences.size() < MOST ? NameSuggestion.hint(wrong, names) : "";
    }

    boolean isEmpty() {
        return sentences.isEmpty();
    }

    List<String> sentences() {
        List<String> all = new ArrayList<>(sentences);
        if (areMore) {
            all.add("and more");
        }
        return List.copyOf(all);
    }

    /** {@return a text in quotation marks, shortened} */
    static String quote(String text) {
        return "\"" + shorten(text, LONGEST_QUOTE) + "\"";
    }

    /** {@return a text, shortened} */
    static String shorten(String text) {
        return shorten(text, LONGEST_QUOTE);
    }

    private static String shorten(String text, int longest) {
        if (text.length() <= longest) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest;
        return text.substring(0, end) + "...";
    }
}
