package dev.couchjobs.bridge.internal;

/** Quotes foreign texts in the log: on one line, shortened, and without control characters of terminals. */
public final class OneLine {
    private static final int LONGEST = 1_000;

    private OneLine() {}

    /**
     * {@return a text that is safe in the log}
     *
     * @param text any text
     */
    public static String of(String text) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(LONGEST).forEach(character -> append(line, character));
        return line.append(text.codePointCount(0, text.length()) > LONGEST ? "..." : "")
                .toString();
    }

    private static void append(StringBuilder line, int character) {
        int type = Character.getType(character);
        boolean isObeyed = type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
        if (character == '\n') {
            line.append("\\n");
        } else if (isObeyed) {
            line.append(String.format("\\u%04x", character));
        } else {
            line.appendCodePoint(character);
        }
    }
}
