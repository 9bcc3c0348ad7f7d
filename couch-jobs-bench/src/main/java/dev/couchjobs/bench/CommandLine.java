package dev.couchjobs.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** The words of a command line: options, each followed by its value if it takes one. */
public final class CommandLine {
    /** A command line says something that cannot be done; the message says what, and what can. */
    public static final class RefusedException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        private RefusedException(String message, IllegalArgumentException cause) {
            super(message, cause);
        }
    }

    /**
     * What options mean.
     *
     * @param <S> what they change
     */
    @FunctionalInterface
    public interface Options<S> {
        /**
         * {@return the settings with an option}
         *
         * @param settings as they are without it
         * @param option as it was given
         * @param line where its value is, if it takes one
         * @throws IllegalArgumentException if there is no such option, or not with this value
         */
        S with(S settings, String option, CommandLine line);
    }

    private final Deque<String> rest;
    private String option = "";
    private String complaint = "";

    private CommandLine(String... words) {
        rest = new ArrayDeque<>(List.of(words));
    }

    /**
     * Reads a command line.
     *
     * @param <S> the settings
     * @param standard the settings if it says nothing
     * @param options what can be said
     * @param usage the same for a person: all options, and what their values can be
     * @param words what is said
     * @return the settings
     * @throws RefusedException if that cannot be done
     */
    public static <S> S parse(S standard, Options<S> options, String usage, String... words) {
        CommandLine line = new CommandLine(words);
        S settings = standard;
        try {
            while (!line.rest.isEmpty()) {
                settings = options.with(settings, line.option(), line);
            }
        } catch (IllegalArgumentException e) {
            throw new RefusedException(line.complaint + "; there are\n" + usage, e);
        }
        return settings;
    }

    private String option() {
        option = rest.pop();
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
        if (rest.isEmpty()) {
            complaint = option + " needs a value";
            throw new IllegalArgumentException(complaint);
        }
        String value = rest.pop();
        complaint = "Do not understand " + option + " " + value;
        return value;
    }

    /** {@return what is between the commas of the option's value} */
    public Stream<String> values() {
        return Stream.of(value().split(",", -1)).map(String::strip).filter(part -> !part.isEmpty());
    }

    /**
     * {@return what the option's value names, with commas between}
     *
     * @param <E> of which kind
     * @param type the same; names are as in Java, but in any case, and may have hyphens
     */
    public <E extends Enum<E>> Set<E> values(Class<E> type) {
        Set<E> named = EnumSet.noneOf(type);
        values().map(name -> Enum.valueOf(type, name.toUpperCase(Locale.ROOT).replace('-', '_')))
                .forEach(named::add);
        return named;
    }
}
