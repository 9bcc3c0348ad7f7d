package dev.couchjobs.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Parses a command line of options, each followed by its value if it takes one. */
public final class CommandLine {
    /** Thrown for an invalid command line; the message names the error and lists the options. */
    public static final class RefusedException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        private RefusedException(String message, IllegalArgumentException cause) {
            super(message, cause);
        }
    }

    /**
     * Applies options to settings.
     *
     * @param <S> the settings
     */
    @FunctionalInterface
    public interface Options<S> {
        /**
         * {@return the settings with an option}
         *
         * @param settings the settings without the option
         * @param option the name of the option
         * @param line the source of its value, if it takes one
         * @throws IllegalArgumentException if there is no such option, or not with this value
         */
        S with(S settings, String option, CommandLine line);
    }

    private final Deque<String> words;
    private String option = "";
    private String complaint = "";

    private CommandLine(String... words) {
        this.words = new ArrayDeque<>(List.of(words));
    }

    /**
     * Reads a command line.
     *
     * @param <S> the settings
     * @param standard the default settings
     * @param options applies the options
     * @param usage the description of all options and their values
     * @param words the command line
     * @return the settings
     * @throws RefusedException if the command line is invalid
     */
    public static <S> S parse(S standard, Options<S> options, String usage, String... words) {
        CommandLine line = new CommandLine(words);
        S settings = standard;
        try {
            while (!line.words.isEmpty()) {
                settings = options.with(settings, line.option(), line);
            }
        } catch (IllegalArgumentException e) {
            throw new RefusedException(line.complaint + "; there are\n" + usage, e);
        }
        return settings;
    }

    private String option() {
        option = words.pop();
        complaint = "Do not understand " + option;
        return option;
    }

    /**
     * The value of the option.
     *
     * @return the word after it
     * @throws IllegalArgumentException if there is none
     */
    public String value() {
        if (words.isEmpty()) {
            complaint = option + " needs a value";
            throw new IllegalArgumentException(complaint);
        }
        String value = words.pop();
        complaint = "Do not understand " + option + " " + value;
        return value;
    }

    /**
     * {@return a value as a number of at least one}
     *
     * @param value a value, or one of its parts
     */
    public static int positive(String value) {
        int number = Integer.parseInt(value);
        if (number < 1) {
            throw new IllegalArgumentException(value);
        }
        return number;
    }

    /** {@return the option's value as a number of seconds, greater than zero} */
    public double seconds() {
        String value = value();
        double number = Double.parseDouble(value);
        if (!(number > 0 && Double.isFinite(number))) {
            throw new IllegalArgumentException(value);
        }
        return number;
    }

    /** {@return the parts of the option's value, which commas separate} */
    public Stream<String> values() {
        return Stream.of(value().split(",", -1)).map(String::strip).filter(part -> !part.isEmpty());
    }

    /**
     * {@return the constants that the option's value names, which commas separate}
     *
     * @param <E> the enum
     * @param type the enum; names may be in lower case, with hyphens for underscores
     */
    public <E extends Enum<E>> Set<E> values(Class<E> type) {
        Set<E> constants = EnumSet.noneOf(type);
        values().map(name -> Enum.valueOf(type, name.toUpperCase(Locale.ROOT).replace('-', '_')))
                .forEach(constants::add);
        return constants;
    }
}
