package dev.couchjobs.server.internal.cli;

import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Text for a terminal. What callers have stored must not steer it. */
final class Text {
    private static final Pattern SECONDS = Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)\\.\\d+Z");
    private static final int DELETE = 0x7F;
    private static final int CONTROLS_END = 0xA0;
    private static final char LINE_SEPARATOR = 0x2028;
    private static final char PARAGRAPH_SEPARATOR = 0x2029;

    /** East Asian scripts, and pictures. */
    private static final List<Range> WIDE = List.of(
            new Range(0x1100, 0x115F),
            new Range(0x2E80, 0xA4CF),
            new Range(0xAC00, 0xD7A3),
            new Range(0xF900, 0xFAFF),
            new Range(0xFE30, 0xFE6F),
            new Range(0xFF00, 0xFF60),
            new Range(0x1F300, 0x1FAFF),
            new Range(0x20000, 0x3FFFD));

    private record Range(int first, int last) {}

    private Text() {}

    /** {@return a text in one line, in which a terminal finds nothing to do} */
    static String plain(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        text.codePoints().forEach(letter -> plain.appendCodePoint(isHarmless(letter) ? letter : ' '));
        return plain.toString();
    }

    /** Format characters change the direction of what follows; U+2028 and U+2029 begin a new line. */
    private static boolean isHarmless(int letter) {
        int type = Character.getType(letter);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.SURROGATE;
    }

    /**
     * {@return JSON with the same meaning, in one line for every reader, in which a terminal finds nothing to do} JSON
     * escapes only the first 32 characters: line ends stand between its tokens, and other controls in its strings.
     */
    static String json(String json) {
        StringBuilder escaped = new StringBuilder(json.length());
        for (int i = 0; i < json.length(); i++) {
            char letter = json.charAt(i);
            if (letter == '\n' || letter == '\r') {
                escaped.append(' ');
            } else if ((letter >= DELETE && letter < CONTROLS_END) || isSeparator(letter)) {
                escaped.append(String.format("\\u%04x", (int) letter));
            } else {
                escaped.append(letter);
            }
        }
        return escaped.toString();
    }

    private static boolean isSeparator(char letter) {
        return letter == LINE_SEPARATOR || letter == PARAGRAPH_SEPARATOR;
    }

    /** {@return what a table has for a value of the API: times to the second, lists with commas} */
    static String of(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return "";
        }
        if (value.isArray()) {
            StringBuilder list = new StringBuilder();
            for (JsonNode item : value) {
                list.append(list.isEmpty() ? "" : ", ").append(of(item));
            }
            return list.toString();
        }
        String text = value.isString() ? value.stringValue() : value.toString();
        return plain(SECONDS.matcher(text).replaceAll("$1Z"));
    }

    /** {@return how many columns of a terminal a text takes} */
    static int width(String text) {
        return text.codePoints().map(Text::width).sum();
    }

    private static int width(int letter) {
        int type = Character.getType(letter);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        return isWide(letter) ? 2 : 1;
    }

    private static boolean isWide(int letter) {
        return WIDE.stream().anyMatch(range -> letter >= range.first() && letter <= range.last());
    }

    /** {@return the beginning of a text, with a mark if that is not all} */
    static String cut(String text, int columns) {
        if (width(text) <= columns) {
            return text;
        }
        StringBuilder beginning = new StringBuilder();
        int left = columns - 1;
        for (int letter : text.codePoints().toArray()) {
            left -= width(letter);
            if (left < 0) {
                break;
            }
            beginning.appendCodePoint(letter);
        }
        return beginning.append('…').toString();
    }
}
