package dev.couchjobs.bridge.internal.action;

/** Where a piece of UTF-8 that was cut anywhere begins and ends with whole characters. */
final class Utf8 {
    private static final int LONGEST = 4;

    private Utf8() {}

    /** {@return how many bytes there are before a last character of which bytes are missing; all, if none are} */
    static int wholeUntil(byte[] bytes) {
        for (int back = 1; back <= Math.min(LONGEST, bytes.length); back++) {
            byte candidate = bytes[bytes.length - back];
            if (!isContinuation(candidate)) {
                return lengthFrom(candidate) > back ? bytes.length - back : bytes.length;
            }
        }
        return bytes.length;
    }

    /** {@return how many bytes belong to a first character whose beginning is missing} */
    static int wholeFrom(byte[] bytes) {
        int start = 0;
        while (start < Math.min(LONGEST - 1, bytes.length) && isContinuation(bytes[start])) {
            start++;
        }
        return start;
    }

    private static boolean isContinuation(byte value) {
        return (value & 0xC0) == 0x80;
    }

    /** How many bytes a character has that begins with this one; 1 for what begins none. */
    private static int lengthFrom(byte first) {
        int value = first & 0xFF;
        if (value >= 0xF0 && value < 0xF8) {
            return 4;
        }
        if (value >= 0xE0) {
            return value < 0xF0 ? 3 : 1;
        }
        return value >= 0xC0 ? 2 : 1;
    }
}
