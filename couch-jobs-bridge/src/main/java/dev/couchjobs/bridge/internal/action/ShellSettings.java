package dev.couchjobs.bridge.internal.action;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the operator of a node allows shell commands.
 *
 * @param isEnabled whether there are any
 * @param allow which ones
 * @param directory where they run, unless a step says otherwise; if absent, where the bridge does
 * @param environment the variables of the bridge that they see: not those with its passwords
 * @param timeLimit how long one may take at most, whatever its step says
 * @param grace from TERM to KILL when one is ended; whole seconds, from one to 20
 * @param outputLimit how many bytes of what one says are kept
 */
public record ShellSettings(
        boolean isEnabled,
        CommandAllowList allow,
        Optional<Path> directory,
        List<String> environment,
        Optional<Duration> timeLimit,
        Duration grace,
        int outputLimit) {

    /** How much is kept of what an action says, unless the operator says otherwise. */
    public static final int DEFAULT_OUTPUT_LIMIT = 16 * 1024;

    /** The variables that commands see, unless the operator says otherwise. */
    public static final List<String> DEFAULT_ENVIRONMENT = List.of("PATH", "HOME", "LANG", "TZ");

    /** The grace, unless the operator says otherwise. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);

    /** The longest grace: a bridge that ends waits for it, and is itself not waited for without end. */
    public static final Duration GRACE_MAX = Duration.ofSeconds(20);

    /** Keeps a copy of the list. */
    public ShellSettings {
        environment = List.copyOf(environment);
        if (grace.compareTo(Duration.ofSeconds(1)) < 0 || grace.compareTo(GRACE_MAX) > 0 || outputLimit < 0) {
            throw new IllegalArgumentException("grace " + grace + ", output limit " + outputLimit);
        }
    }

    /** {@return what holds where the operator says nothing: no commands} */
    public static ShellSettings off() {
        return new ShellSettings(
                false,
                CommandAllowList.all(),
                Optional.empty(),
                DEFAULT_ENVIRONMENT,
                Optional.empty(),
                DEFAULT_GRACE,
                DEFAULT_OUTPUT_LIMIT);
    }

    /** {@return the same, with all commands allowed} */
    public ShellSettings enabled() {
        return new ShellSettings(true, allow, directory, environment, timeLimit, grace, outputLimit);
    }

    /** {@return the same, with these commands allowed} */
    public ShellSettings allowing(CommandAllowList commands) {
        return new ShellSettings(true, commands, directory, environment, timeLimit, grace, outputLimit);
    }
}
