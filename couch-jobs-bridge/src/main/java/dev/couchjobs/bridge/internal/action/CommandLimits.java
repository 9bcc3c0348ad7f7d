package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The limits of each process of a command, which the shell sets.
 *
 * @param memory its address space, in bytes
 * @param processor its processor time, in whole seconds
 */
public record CommandLimits(OptionalLong memory, Optional<Duration> processor) {
    private static final int KIBIBYTE = 1024;

    /** {@return no limits} */
    public static CommandLimits none() {
        return new CommandLimits(OptionalLong.empty(), Optional.empty());
    }

    /** {@return the commands of the shell that set the limits; {@code :} if there are none} */
    String commands() {
        List<String> commands = new ArrayList<>();
        memory.ifPresent(bytes -> commands.add("ulimit -v " + bytes / KIBIBYTE));
        processor.ifPresent(time -> commands.add("ulimit -t " + time.toSeconds()));
        return commands.isEmpty() ? ":" : String.join(" && ", commands);
    }
}
