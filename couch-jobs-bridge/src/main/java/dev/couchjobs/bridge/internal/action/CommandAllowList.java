package dev.couchjobs.bridge.internal.action;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The shell commands that a node's operator allows: complete commands, or regular expressions that match a complete
 * command. Prefixes are not possible, because the writer of a document chooses what follows them, and the shell
 * interprets it: {@code backup x} would allow {@code backup x; rm -r /} and {@code backup x$(curl ...)}. For the same
 * reason an expression should list the permitted characters, as in {@code backup [a-z0-9-]+}, and not be {@code backup
 * .*}.
 *
 * @param isEverything whether every command is allowed
 * @param commands commands that are allowed as they are
 * @param patterns expressions that match complete commands
 */
public record CommandAllowList(boolean isEverything, Set<String> commands, List<Pattern> patterns) {
    public CommandAllowList {
        commands = Set.copyOf(commands);
        patterns = List.copyOf(patterns);
    }

    /** {@return a list that allows every command} */
    public static CommandAllowList all() {
        return new CommandAllowList(true, Set.of(), List.of());
    }

    /** {@return a list that allows the given commands} */
    public static CommandAllowList of(Set<String> commands, List<Pattern> patterns) {
        return new CommandAllowList(false, commands, patterns);
    }

    boolean allows(String command) {
        return isEverything
                || commands.contains(command)
                || patterns.stream().anyMatch(pattern -> matches(pattern, command));
    }

    /** A document may contain a command for which an expression needs unlimited time or stack. */
    private static boolean matches(Pattern pattern, String command) {
        try {
            return pattern.matcher(new BoundedCharSequence(command)).matches();
        } catch (BoundedCharSequence.LimitExceededException | StackOverflowError e) {
            return false;
        }
    }
}
