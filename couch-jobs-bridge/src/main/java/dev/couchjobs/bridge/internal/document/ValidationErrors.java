package dev.couchjobs.bridge.internal.document;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what is wrong with a document, in sentences a person can act on. */
final class ValidationErrors {
    private static final int MOST = 20;
    private static final int LONGEST_QUOTE = 60;
    private static final int LONGEST_PATH = 200;

    private final Set<String> sentences = new LinkedHashSet<>();
    private boolean areMore;

    /** Notes that something is wrong with what is at a path. */
    void add(String path, String what) {
        if (sentences.size() < MOST) {
            sentences.add(path.isEmpty() ? what : shorten(path, LONGEST_PATH) + ": " + what);
        } else {
            areMore = true;
        }
    }

    /** {@return a question to end a complaint with; nothing if no name is near, or if no reader will see it} */
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

    /** {@return a text in quotation marks, of bounded length} */
    static String quote(String text) {
        return "\"" + shorten(text, LONGEST_QUOTE) + "\"";
    }

    /** {@return a text, of bounded length} */
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
