package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.loop.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The shell commands that the operator of a node allows.
 *
 * @param isEnabled whether commands are allowed at all
 * @param allow the commands that are allowed
 * @param directory the default working directory; if absent, that of the bridge
 * @param environment the variables of the bridge that commands get, without its passwords
 * @param timeLimit the time limit of a command, whatever its step says
 * @param grace the time from TERM to KILL; whole seconds, from 1 to 20
 * @param outputLimit how many bytes of the output are kept
 * @param limits the limits of each process of a command
 */
public record ShellSettings(
        boolean isEnabled,
        CommandAllowList allow,
        Optional<Path> directory,
        List<String> environment,
        Optional<Duration> timeLimit,
        Duration grace,
        int outputLimit,
        CommandLimits limits) {

    /** The default limit of the output of an action. */
    public static final int DEFAULT_OUTPUT_LIMIT = 16 * 1024;

    /** The variables that commands get by default. */
    public static final List<String> DEFAULT_ENVIRONMENT = List.of("PATH", "HOME", "LANG", "TZ");

    /** The default grace. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);

    /** The longest grace, which limits how long the close of a bridge takes. */
    public static final Duration GRACE_MAX = Duration.ofSeconds(20);

    public ShellSettings {
        environment = List.copyOf(environment);
        if (grace.compareTo(Duration.ofSeconds(1)) < 0 || grace.compareTo(GRACE_MAX) > 0 || outputLimit < 0) {
            throw new IllegalArgumentException("grace " + DurationText.of(grace) + ", output limit " + outputLimit);
        }
    }

    /** {@return the default settings, which allow no command} */
    public static ShellSettings off() {
        return new ShellSettings(
                false,
                CommandAllowList.all(),
                Optional.empty(),
                DEFAULT_ENVIRONMENT,
                Optional.empty(),
                DEFAULT_GRACE,
                DEFAULT_OUTPUT_LIMIT,
                CommandLimits.none());
    }

    /** {@return these settings with all commands allowed} */
    public ShellSettings enabled() {
        return new ShellSettings(true, allow, directory, environment, timeLimit, grace, outputLimit, limits);
    }

    /** {@return these settings with other limits of processes} */
    public ShellSettings limited(CommandLimits newLimits) {
        return new ShellSettings(isEnabled, allow, directory, environment, timeLimit, grace, outputLimit, newLimits);
    }

    /** {@return these settings with the given commands allowed} */
    public ShellSettings allowing(CommandAllowList commands) {
        return new ShellSettings(true, commands, directory, environment, timeLimit, grace, outputLimit, limits);
    }
}
