package dev.couchjobs.bridge.internal.action;

/** Finds the complete characters in a piece of UTF-8. */
final class Utf8 {
    private static final int LONGEST = 4;

    private Utf8() {}

    /** {@return the number of bytes before an incomplete last character; all if there is none} */
    static int wholeUntil(byte[] bytes) {
        for (int back = 1; back <= Math.min(LONGEST, bytes.length); back++) {
            byte candidate = bytes[bytes.length - back];
            if (!isContinuation(candidate)) {
                return lengthFrom(candidate) > back ? bytes.length - back : bytes.length;
            }
        }
        return bytes.length;
    }

    /** {@return the number of bytes of a first character that lacks its beginning} */
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

    /** {@return the number of bytes of the character that begins with a byte; 1 if none does} */
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
