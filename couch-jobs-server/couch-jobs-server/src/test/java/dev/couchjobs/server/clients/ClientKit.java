package dev.couchjobs.server.clients;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A client in some language: how its programs are run.
 *
 * @param language what tests call it
 * @param directory where its programs run
 * @param environment variables that they need
 * @param conformance the command that runs the program of the conformance suite
 * @param unitTests the command that runs the client's own tests; none for a client of another project
 * @param readme the page whose examples are run; none for a client of another project
 */
public record ClientKit(
        String language,
        Path directory,
        Map<String, String> environment,
        List<String> conformance,
        List<String> unitTests,
        List<Path> readme) {
    private static final Pattern EXAMPLE = Pattern.compile("(?s)```\\w+\\n(.*?)```");
    private static final Path CLIENTS =
            Path.of("..", "..", "clients").toAbsolutePath().normalize();
    private static final Path TYPESCRIPT = Path.of("target", "typescript").toAbsolutePath();

    /** {@return the clients that this machine can run} */
    public static List<ClientKit> all() {
        String other = System.getProperty("conformance.command");
        if (other != null) {
            return List.of(new ClientKit(
                    "other", Path.of("."), Map.of(), List.of("sh", "-c", "exec " + other), List.of(), List.of()));
        }
        List<ClientKit> kits = new ArrayList<>(List.of(typeScript()));
        if (hasPython()) {
            kits.add(python());
        } else {
            System.out.println("NOT TESTED, as there is no python3 of 3.9 or later here: clients/python");
        }
        return kits;
    }

    static ClientKit typeScript() {
        if (!Files.exists(TYPESCRIPT.resolve("built"))) {
            throw new IllegalStateException(TYPESCRIPT + " is missing: ./mvnw process-test-classes builds it");
        }
        Path tests = TYPESCRIPT.resolve(Path.of("build", "test"));
        return new ClientKit(
                "TypeScript",
                TYPESCRIPT,
                Map.of(),
                List.of("node", tests.resolve("conformance.js").toString()),
                Stream.concat(Stream.of("node", "--test"), filesThatEndWith(tests, ".test.js"))
                        .toList(),
                List.of(CLIENTS.resolve(Path.of("typescript", "README.md"))));
    }

    private static Stream<String> filesThatEndWith(Path directory, String end) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString).filter(name -> name.endsWith(end)).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasPython() {
        try {
            return new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ClientKit python() {
        Path package_ = CLIENTS.resolve("python");
        return new ClientKit(
                "Python",
                package_,
                Map.of("PYTHONPATH", package_.toString(), "PYTHONDONTWRITEBYTECODE", "1"),
                List.of("python3", package_.resolve("conformance.py").toString()),
                List.of("python3", "-m", "unittest"),
                List.of(package_.resolve("README.md")));
    }

    /** {@return this client, with further variables} */
    ClientKit with(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(variables);
        return new ClientKit(language, directory, all, conformance, unitTests, readme);
    }

    /** {@return the command that runs the worker of docs/server.md} */
    List<String> worker() {
        return program("mail", "receipt");
    }

    /** {@return the command that runs the example with topics} */
    List<String> topics() {
        return program("myqueue", "orders");
    }

    private List<String> program(String python, String typeScript) {
        return language.equals("Python")
                ? List.of(
                        "python3",
                        directory.resolve(Path.of("examples", python + ".py")).toString())
                : List.of(
                        "node",
                        directory
                                .resolve(Path.of("build", "examples", typeScript + ".js"))
                                .toString());
    }

    /**
     * {@return the command that runs an example of a page}
     *
     * @param index from 0
     */
    List<String> example(Path page, int index) throws IOException {
        String code = EXAMPLE.matcher(Files.readString(page))
                .results()
                .skip(index)
                .map(example -> example.group(1))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(page + " has no example " + index));
        boolean isPython = language.equals("Python");
        Path file = Path.of("target", isPython ? "example" + index + ".py" : "typescript/example" + index + ".mjs")
                .toAbsolutePath();
        Files.writeString(file, code);
        return List.of(isPython ? "python3" : "node", file.toString());
    }

    @Override
    public String toString() {
        return language;
    }
}
