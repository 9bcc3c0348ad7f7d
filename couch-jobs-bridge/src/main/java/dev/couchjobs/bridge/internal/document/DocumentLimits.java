package dev.couchjobs.bridge.internal.document;

import java.nio.charset.StandardCharsets;

/** Limits of sizes in a document. A document at all limits is smaller than the eight megabytes that CouchDB accepts. */
final class DocumentLimits {
    /**
     * Steps of a job. Each revision contains all of them, so the cost of a job grows with the square of their number.
     */
    static final int STEPS = 100;
    /**
     * Runs of a job: one for each step, and one for each node of a step on all nodes. Each revision contains them, too.
     */
    static final int RUNS = 300;
    /** Bytes of a text, in UTF-8. */
    static final int STRING_BYTES = 64 * 1024;
    /** Bytes of all that people write into a document, in UTF-8. */
    static final int PLAN_BYTES = 1024 * 1024;
    /** Depth of nested objects and arrays. */
    static final int DEPTH = 64;
    /** Bytes of a document's id. The id of a step's job is a little longer, and may have 1,000. */
    static final int ID_BYTES = 900;
    /** Characters of a reason. */
    static final int REASON = 500;

    private static final int OUTPUTS_BYTES = 2 * 1024 * 1024;

    private DocumentLimits() {}

    /** {@return the output bytes that each of so many runs may keep} */
    static int outputBytes(int runs) {
        return Math.min(STRING_BYTES, OUTPUTS_BYTES / Math.max(1, runs));
    }

    static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** {@return a reason, shortened to the limit} */
    static String reason(String text) {
        if (text.length() <= REASON) {
            return text;
        }
        int end = REASON - 3;
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "...";
    }

    /** {@return the longest end of a text that takes at most so many bytes in JSON} */
    static String lastBytes(String text, int bytes) {
        int left = bytes;
        int from = text.length();
        while (from > 0) {
            int character = text.codePointBefore(from);
            left -= bytesInJson(character);
            if (left < 0) {
                return text.substring(from);
            }
            from -= Character.charCount(character);
        }
        return text;
    }

    private static int bytesInJson(int character) {
        if (character < 0x80) {
            boolean hasShortEscape = character == '"' || character == '\\' || character == '\n' || character == '\t';
            return character < 0x20 && !hasShortEscape ? 6 : hasShortEscape ? 2 : 1;
        }
        return character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    }
}
