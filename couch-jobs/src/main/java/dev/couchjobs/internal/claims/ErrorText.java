package dev.couchjobs.internal.claims;

import dev.couchjobs.internal.loop.RootCauses;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The text of an error as it is stored with a job: class, message, first frames and first causes, each of them cut. */
public final class ErrorText {
    private static final int MESSAGE_CHARS_MAX = 1_000;
    private static final int FRAMES_MAX = 8;
    private static final int CAUSES_MAX = 3;
    private static final int STORED_CHARS_MAX = 4_000;

    private ErrorText() {}

    /** {@return the text of an error, also if the error's class, which may be a user's, throws} */
    public static String of(Throwable error) {
        List<String> lines = new ArrayList<>();
        try {
            describe(lines, error);
        } catch (Throwable e) {
            lines.add("(the rest cannot be had: " + e.getClass().getName() + ")");
        }
        return String.join("\n", lines);
    }

    private static void describe(List<String> lines, Throwable error) {
        Throwable each = error;
        for (int depth = 0; each != null && depth <= CAUSES_MAX; depth++) {
            lines.add((depth == 0 ? "" : "Caused by: ") + headline(each));
            addFrames(lines, each);
            each = each.getCause();
        }
    }

    private static String headline(Throwable error) {
        String name = error.getClass().getName();
        String message = Objects.requireNonNullElse(RootCauses.message(error), "");
        return message.isEmpty() ? name : name + ": " + cut(message, MESSAGE_CHARS_MAX);
    }

    private static void addFrames(List<String> lines, Throwable error) {
        StackTraceElement[] frames = error.getStackTrace();
        for (int i = 0; i < Math.min(FRAMES_MAX, frames.length); i++) {
            lines.add("  at " + frames[i]);
        }
        if (frames.length > FRAMES_MAX) {
            lines.add("  ... " + (frames.length - FRAMES_MAX) + " more");
        }
    }

    /**
     * {@return the text as it can be stored} Half of a surrogate pair cannot be stored; a message that is cut within a
     * character ends with one.
     */
    public static String storable(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** {@return the text, or its first 4,000 characters if it is longer} */
    public static String bounded(String text) {
        return cut(text, STORED_CHARS_MAX);
    }

    /** {@return the text, or its beginning if it is longer, without half of a character} */
    private static String cut(String text, int charsMax) {
        if (text.length() <= charsMax) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(charsMax - 1)) ? charsMax - 1 : charsMax;
        return text.substring(0, end) + "...";
    }
}
