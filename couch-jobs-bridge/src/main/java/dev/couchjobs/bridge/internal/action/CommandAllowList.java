package dev.couchjobs.bridge.internal.action;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The shell commands that a node's operator allows: word by word, or by regular expressions that have to match all of a
 * command. There is no matching of prefixes, because the writer of the document chooses what follows one, and the shell
 * reads on: {@code backup x} would allow {@code backup x; rm -r /} and {@code backup x$(curl ...)}. For the same reason
 * an expression should name the characters that may stand where something is left open: {@code backup [a-z0-9-]+}, and
 * not {@code backup .*}.
 *
 * @param isEverything whether there is no list at all, and everything is allowed
 * @param commands commands that are allowed as they stand
 * @param patterns what allowed commands match, from end to end
 */
public record CommandAllowList(boolean isEverything, Set<String> commands, List<Pattern> patterns) {
    /** Keeps copies. */
    public CommandAllowList {
        commands = Set.copyOf(commands);
        patterns = List.copyOf(patterns);
    }

    /** {@return a list on which every command is} */
    public static CommandAllowList all() {
        return new CommandAllowList(true, Set.of(), List.of());
    }

    /** {@return a list of these only} */
    public static CommandAllowList of(Set<String> commands, List<Pattern> patterns) {
        return new CommandAllowList(false, commands, patterns);
    }

    boolean allows(String command) {
        return isEverything
                || commands.contains(command)
                || patterns.stream().anyMatch(pattern -> matches(pattern, command));
    }

    /**
     * The writer of a command may choose one for which a pattern takes forever, or the whole stack, to find no match.
     */
    private static boolean matches(Pattern pattern, String command) {
        try {
            return pattern.matcher(new BoundedCharSequence(command)).matches();
        } catch (BoundedCharSequence.LimitExceededException | StackOverflowError e) {
            return false;
        }
    }
}
