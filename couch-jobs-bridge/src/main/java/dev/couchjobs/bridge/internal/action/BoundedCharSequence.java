package dev.couchjobs.bridge.internal.action;

/**
 * A text that can be read only a limited number of times, which limits the time to match a regular expression. For one
 * match.
 */
final class BoundedCharSequence implements CharSequence {
    /** Some milliseconds; a match normally reads each character a few times. */
    private static final int LOOKS_MAX = 1_000_000;

    private final String text;
    private int looks;

    BoundedCharSequence(String text) {
        this.text = text;
    }

    /** The limit of reads was exceeded. */
    static final class LimitExceededException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LimitExceededException() {
            super("read more than " + LOOKS_MAX + " characters");
        }
    }

    @Override
    public char charAt(int index) {
        looks++;
        if (looks > LOOKS_MAX) {
            throw new LimitExceededException();
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
