package dev.couchjobs.internal.loop;

/** Text from outside, as it is logged: nothing in it can look like a line of the log. */
public final class LogText {
    private static final char LINE_SEPARATOR = 0x2028;
    private static final char PARAGRAPH_SEPARATOR = 0x2029;

    private LogText() {}

    /** {@return the text, with its further lines indented, and other control characters escaped} */
    public static String of(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '\n') {
                shown.append("\n\t");
            } else if (isControl(each) && each != '\t') {
                shown.append("\\u%04X".formatted((int) each));
            } else {
                shown.append(each);
            }
        }
        return shown.toString();
    }

    /** {@return whether a character is a control character, or separates lines} */
    public static boolean isControl(char each) {
        return Character.isISOControl(each) || each == LINE_SEPARATOR || each == PARAGRAPH_SEPARATOR;
    }
}
