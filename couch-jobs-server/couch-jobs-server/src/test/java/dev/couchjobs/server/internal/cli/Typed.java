package dev.couchjobs.server.internal.cli;

import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs commands in this process, as if they were typed. */
public final class Typed {
    private final Map<String, String> environment = new HashMap<>();
    private boolean isTerminal;
    private byte[] input = {};
    private int columns = 80;

    /** What a command has left behind. */
    public record Ran(int exitCode, String out, String err) {
        public List<String> lines() {
            return out.lines().toList();
        }

        /** {@return the output of a command with {@code --json}} */
        public JsonNode json() {
            return JsonMapper.shared().readTree(out);
        }
    }

    public Typed with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** A terminal, at which the user answers. */
    public Typed atTerminal(String answers) {
        isTerminal = true;
        return input(answers);
    }

    public Typed columns(int newColumns) {
        columns = newColumns;
        return this;
    }

    public Typed input(String text) {
        return input(text.getBytes(StandardCharsets.UTF_8));
    }

    public Typed input(byte[] bytes) {
        input = bytes.clone();
        return this;
    }

    public Ran run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Shell shell = new Shell(
                environment,
                new ByteArrayInputStream(input),
                new PrintWriter(out),
                new PrintWriter(err),
                isTerminal,
                () -> new Shell.Screen(24, columns));
        int exitCode = RootCommand.run(shell, arguments);
        return new Ran(exitCode, out.toString(), err.toString());
    }

    /** {@return the names of all commands} */
    public static Set<String> commands() {
        return new TreeSet<>(
                RootCommand.commandLine(Shell.ofProcess()).getSubcommands().keySet());
    }
}
