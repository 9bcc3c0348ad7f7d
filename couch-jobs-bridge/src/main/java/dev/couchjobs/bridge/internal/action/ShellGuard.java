package dev.couchjobs.bridge.internal.action;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a command is put into a process group of its own, and how that group is ended for sure, without native code.
 *
 * <p>{@code setsid} makes the session and the group; its leader is a small script, the guard, which runs the command
 * and ends with the command's exit status. Beside it, in the same group, a watcher reads the names of signals from a
 * pipe and sends them to the group. That it is a member itself is what makes this safe: as long as it lives, the
 * group's number cannot belong to any other process. When the pipe ends the bridge is gone, however it went, SIGKILL
 * included: the watcher sends TERM and, after the grace, KILL. So a step's old run has ended before a restarted bridge
 * runs it again, which waits for the job's claim to time out.
 *
 * <p>When the command has ended, the guard ends the watcher, so that no process is left for another to reap, and sends
 * TERM to what the command may have left in the group. What leaves the group by a session of its own is ended only
 * while it is still a descendant of the guard; a daemon that has detached itself from its parents lives on, and that is
 * how a step starts one. Nothing helps if the watcher and the bridge are killed together.
 */
final class ShellGuard {
    private static final String SHELL = "/bin/sh";

    /**
     * Arguments: the command, the grace in seconds, the file that it reads, then variables as NAME=value; all but the
     * grace have their bytes escaped, since Java writes arguments in the encoding of the locale, in which many
     * characters may not exist.
     *
     * <p>The first byte that is written is the guard's own. It says that a signal will now reach the command and not be
     * taken by a shell that is about to start it.
     */
    private static final String SCRIPT = """
            couchjobs_command=$(printf %b "$1") couchjobs_grace=$2 couchjobs_input=$(printf %b "$3")
            shift 3
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
            /bin/sh -c 'printf .; exec /bin/sh -c "$1"' couch-jobs "$couchjobs_command" 3<&-
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
     * The guard as this system can have it.
     *
     * @param path the directories in which programs are looked for, as in the variable PATH
     */
    static ShellGuard on(String path) {
        return new ShellGuard(Arrays.stream(path.split(":"))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, "setsid"))
                .filter(Files::isExecutable)
                .findFirst());
    }

    /** {@return whether commands get a group; without, they are ended process by process} */
    boolean makesGroups() {
        return setsid.isPresent();
    }

    /**
     * {@return the words to start; the values of the variables may hold anything, those of the names are checked
     * before}
     */
    List<String> commandLine(String command, Duration grace, Path input, Map<String, String> variables) {
        List<String> words = new ArrayList<>();
        setsid.ifPresent(program -> words.add(program.toString()));
        words.addAll(List.of(SHELL, "-c", SCRIPT, "couch-jobs", escaped(command)));
        words.addAll(List.of(Long.toString(grace.toSeconds()), escaped(input.toString())));
        variables.forEach((name, value) -> words.add(escaped(name + "=" + value)));
        return words;
    }

    /** For {@code printf %b}: ASCII without NUL, which no argument can hold. */
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
