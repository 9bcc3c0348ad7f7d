package dev.couchjobs.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The words of a command line: options, each followed by its value if it takes one. */
public final class CommandLine {
    /** A command line says something that cannot be done; the message says what, and what can. */
    public static final class RefusedException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        private RefusedException(String message, IllegalArgumentException cause) {
            super(message, cause);
        }
    }

    private final Deque<String> rest;
    private String option = "";
    private String complaint = "";

    /**
     * Nothing of it has been read yet.
     *
     * @param words as they were given
     */
    public CommandLine(String... words) {
        rest = new ArrayDeque<>(List.of(words));
    }

    /** {@return whether there is a further option} */
    public boolean hasNext() {
        return !rest.isEmpty();
    }

    /** {@return the next option, which there must be} */
    public String option() {
        option = rest.pop();
        complaint = "Do not understand " + option;
        return option;
    }

    /**
     * The value of the option that was read last.
     *
     * @return the word after it
     * @throws IllegalArgumentException if there is none
     */
    public String value() {
        if (rest.isEmpty()) {
            complaint = option + " needs a value";
            throw new IllegalArgumentException(complaint);
        }
        String value = rest.pop();
        complaint = "Do not understand " + option + " " + value;
        return value;
    }

    /**
     * What to answer when an option or its value, whichever was read last, is none.
     *
     * @param cause how that was found out
     * @param usage all options and what their values can be
     * @return what says so
     */
    public RefusedException refused(IllegalArgumentException cause, String usage) {
        return new RefusedException(complaint + "; there are\n" + usage, cause);
    }
}
