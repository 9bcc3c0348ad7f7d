package dev.couchjobs.bridge.internal.action;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Starts a command in a process group of its own, and ends that group reliably, without native code.
 *
 * <p>{@code setsid} creates the session and the group. Its leader is a small script, the guard, which runs the command
 * and ends with the command's exit status. A watcher in the same group reads the names of signals from a pipe and sends
 * them to the group. The watcher is a member of the group, so as long as it lives the group's id cannot belong to other
 * processes. When the pipe ends, the bridge has ended, even by SIGKILL: the watcher then sends TERM and, after the
 * grace, KILL. A restarted bridge waits for the expiry of the job's claim; so the old run of a step has ended before it
 * begins again.
 *
 * <p>When the command has ended, the guard ends the watcher, so that no orphan is left, and sends TERM to the rest of
 * the group. A process that has left the group by a session of its own is ended only while it is a descendant of the
 * guard. A daemon that has detached itself continues; this is how a step starts one. The group also continues if
 * watcher and bridge are killed together.
 */
final class ShellGuard {
    private static final String SHELL = "/bin/sh";

    /**
     * Arguments: the command, the grace in seconds, the file of the standard input, commands that set limits, then
     * variables as NAME=value. All but the grace and the limits are escaped, because Java encodes arguments in the
     * charset of the locale, which may lack characters.
     *
     * <p>The guard writes the first byte of the output. It shows that a signal now reaches the command, and not a shell
     * that is about to start it.
     */
    private static final String SCRIPT = """
            couchjobs_command=$(printf %b "$1") couchjobs_grace=$2 couchjobs_input=$(printf %b "$3") couchjobs_limits=$4
            shift 4
            for couchjobs_variable do export "$(printf %b "$couchjobs_variable")"; done
            exec 3<&0 <"$couchjobs_input"
            trap : TERM
            (
              trap '' TERM
              while read -r signal <&3; do kill -s "$signal" -- "-$$"; done
              kill -s KILL "$$"
              kill -s TERM -- "-$$"
              sleep "$couchjobs_grace"
              kill -s KILL -- "-$$"
            ) >/dev/null 2>&1 &
            couchjobs_watcher=$!
            /bin/sh -c 'printf .; eval "$2" || exit 126; exec /bin/sh -c "$1"' \\
              couch-jobs "$couchjobs_command" "$couchjobs_limits" 3<&-
            couchjobs_status=$?
            {
              kill -s KILL "$couchjobs_watcher"
              wait "$couchjobs_watcher"
              kill -s TERM -- "-$$"
            } >/dev/null 2>&1
            exit "$couchjobs_status"
            """;

    private final Optional<Path> setsid;

    private ShellGuard(Optional<Path> setsid) {
        this.setsid = setsid;
    }

    /**
     * {@return the guard that this system supports}
     *
     * @param path the directories in which programs are searched, as in the variable PATH
     */
    static ShellGuard on(String path) {
        return new ShellGuard(Arrays.stream(path.split(":"))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, "setsid"))
                .filter(Files::isExecutable)
                .findFirst());
    }

    /** {@return whether commands get a group; otherwise their processes are ended one by one} */
    boolean makesGroups() {
        return setsid.isPresent();
    }

    /**
     * {@return the words of the command line; values of variables may contain any character, and their names are
     * checked before}
     */
    List<String> commandLine(String command, ShellSettings settings, Path input, Map<String, String> variables) {
        List<String> words = new ArrayList<>();
        setsid.ifPresent(program -> words.add(program.toString()));
        words.addAll(List.of(SHELL, "-c", SCRIPT, "couch-jobs", escaped(command)));
        words.addAll(List.of(
                Long.toString(settings.grace().toSeconds()),
                escaped(input.toString()),
                settings.limits().commands()));
        variables.forEach((name, value) -> words.add(escaped(name + "=" + value)));
        return words;
    }

    /** Escapes a text for {@code printf %b}: the result is ASCII without NUL, which arguments cannot contain. */
    private static String escaped(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the shell cannot take the character U+0000");
        }
        StringBuilder escaped = new StringBuilder(text.length());
        for (byte value : text.getBytes(StandardCharsets.UTF_8)) {
            if (value == '\\') {
                escaped.append("\\\\");
            } else if (value < 0) {
                escaped.append("\\0").append(Integer.toOctalString(value & 0xFF));
            } else {
                escaped.append((char) value);
            }
        }
        return escaped.toString();
    }
}
