package dev.couchjobs.release;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The description of the public API of a jar: its module, and what {@code javap} says of each public type. */
class PublicApi {
    private static final Pattern INTERNAL = Pattern.compile("/internal/|package-info|module-info|\\$[0-9]");
    private static final Pattern TYPE =
            Pattern.compile("(?ms)^public [^\\n]*?\\b(?:class|interface) ([\\w.$]+)[^\\n]*\\{\\n.*?^}$");

    /** {@return the types in the order of their names, members in that of their text} */
    static String of(Path jar) throws IOException {
        Map<String, String> types = new LinkedHashMap<>();
        TYPE.matcher(javap(jar, classes(jar)))
                .results()
                .filter(type -> isVisible(type.group(1), types.keySet()))
                .forEach(type -> types.put(type.group(1), sorted(type.group())));
        String module =
                ModuleFinder.of(jar).findAll().iterator().next().descriptor().name();
        return types.values().stream().collect(Collectors.joining("\n", "module " + module + "\n\n", ""));
    }

    /** {@return the lines that only one of two descriptions has, each with its type} */
    static List<String> changes(String before, String after) {
        List<String> old = lines(before);
        List<String> present = lines(after);
        return Stream.concat(
                        old.stream().filter(line -> !present.contains(line)).map(line -> "removed: " + line),
                        present.stream().filter(line -> !old.contains(line)).map(line -> "added: " + line))
                .toList();
    }

    private static List<String> lines(String description) {
        List<String> lines = new ArrayList<>();
        String type = "";
        for (String line : description.lines().toList()) {
            if (line.startsWith("  ")) {
                lines.add(type + line);
            } else {
                type = line;
                lines.add(line);
            }
        }
        return lines;
    }

    /** A public type within one that is not public has no name outside. The outer type stands before it. */
    private static boolean isVisible(String name, Set<String> visible) {
        int end = name.lastIndexOf('$');
        return end < 0 || visible.contains(name.substring(0, end));
    }

    private static List<String> classes(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .map(entry -> entry.getName())
                    .filter(name ->
                            name.endsWith(".class") && !INTERNAL.matcher(name).find())
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .sorted()
                    .toList();
        }
    }

    private static String javap(Path jar, List<String> classes) {
        if (classes.isEmpty()) {
            return "";
        }
        List<String> arguments = new ArrayList<>(List.of("-protected", "-cp", jar.toString()));
        arguments.addAll(classes);
        StringWriter out = new StringWriter();
        StringWriter errors = new StringWriter();
        int exit = ToolProvider.findFirst("javap")
                .orElseThrow()
                .run(new PrintWriter(out), new PrintWriter(errors), arguments.toArray(String[]::new));
        if (exit != 0) {
            throw new IllegalStateException("javap ended with " + exit + ": " + errors);
        }
        return out.toString().replace("\r\n", "\n").replaceAll("\\bjava[.]lang[.](?=[A-Z])", "");
    }

    private static String sorted(String type) {
        List<String> lines = type.lines().toList();
        return lines.get(0)
                + lines.subList(1, lines.size() - 1).stream()
                        .map(String::stripTrailing)
                        .filter(line -> !line.strip().equals("static {};"))
                        .sorted()
                        .map(line -> "\n" + line)
                        .collect(Collectors.joining())
                + "\n}\n";
    }
}
