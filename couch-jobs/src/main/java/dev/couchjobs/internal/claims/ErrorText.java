package dev.couchjobs.internal.claims;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * An error as it is kept with a job: its class and message, where it came from, and its causes, of everything only so
 * much that it stays short whatever the error is.
 */
public final class ErrorText {
    private static final int MESSAGE_CHARS_MAX = 1_000;
    private static final int FRAMES_MAX = 8;
    private static final int CAUSES_MAX = 3;

    private ErrorText() {}

    /** {@return the text; an error is of a user's class, and whatever that does, there is one} */
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
        String message = message(error);
        return message.isEmpty() ? name : name + ": " + cut(message, MESSAGE_CHARS_MAX);
    }

    /** Errors are users' classes, and one whose message cannot be had must not keep its job from being ended. */
    private static String message(Throwable error) {
        try {
            return Objects.requireNonNullElse(error.getMessage(), "");
        } catch (Throwable e) {
            return "(its message cannot be had: " + e.getClass().getName() + ")";
        }
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
     * {@return the text as it can be stored} Half of a surrogate pair cannot, and is easily had by a message that cuts
     * the caller's text off.
     */
    public static String storable(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** {@return the text, if it is not longer, or else its beginning; never half of a character} */
    static String cut(String text, int charsMax) {
        if (text.length() <= charsMax) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(charsMax - 1)) ? charsMax - 1 : charsMax;
        return text.substring(0, end) + "...";
    }
}
