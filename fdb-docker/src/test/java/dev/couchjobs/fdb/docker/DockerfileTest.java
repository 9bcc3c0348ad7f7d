package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The image: what a linter finds, and our own rules. */
class DockerfileTest {
    private static final Path DOCKERFILE = Module.IMAGE.resolve("Dockerfile");
    private static final Path LINTER = Module.ROOT.resolve("target/lint/lint.js");

    private final List<String> instructions = Module.read(DOCKERFILE)
            .replaceAll("(?m)^#.*\\R", "")
            .replaceAll("\\\\\\R\\s*", "")
            .lines()
            .filter(line -> !line.isBlank())
            .toList();

    @Test
    void theLinterFindsNothing() throws IOException, InterruptedException {
        assertThat(lint(DOCKERFILE)).isEmpty();
    }

    @Test
    void theLinterFindsWhatIsWrong() throws IOException, InterruptedException {
        assertThat(lint(Path.of("src/test/lint/wrong.Dockerfile")))
                .contains("2: ", "Unknown instruction: ADDD")
                .contains("3: ", "unknown unit x")
                .contains("4: ", "There can only be one ENTRYPOINT instruction");
    }

    @Test
    void itIsMadeFromAPinnedImage() {
        assertThat(arguments("FROM")).containsExactly("foundationdb/foundationdb:" + Module.serverVersion());
    }

    @Test
    void processesDoNotRunAsRoot() {
        assertThat(arguments("USER")).containsExactly("fdb");
        assertThat(instructions.subList(instructions.indexOf("USER fdb"), instructions.size()))
                .noneMatch(instruction -> instruction.startsWith("RUN"));
    }

    /** A shell in between would keep the signal that ends the container. */
    @Test
    void processesAreStartedWithoutAShell() {
        assertThat(arguments("ENTRYPOINT")).singleElement().asString().matches("\\[.*\"fdb-node\"]");
        assertThat(arguments("HEALTHCHECK")).singleElement().asString().matches(".* CMD \\[\"fdb-healthy\"]");
    }

    @Test
    void everyScriptIsInIt() {
        assertThat(arguments("COPY")).singleElement().satisfies(copied -> {
            List<String> words = Arrays.asList(copied.split(" "));
            assertThat(words.subList(1, words.size() - 1))
                    .containsExactlyInAnyOrderElementsOf(FoundationDbContainer.SCRIPTS)
                    .containsExactlyInAnyOrderElementsOf(Module.scripts()
                            .map(script -> script.getFileName().toString())
                            .toList());
        });
    }

    private List<String> arguments(String instruction) {
        return instructions.stream()
                .filter(line -> line.startsWith(instruction + " "))
                .map(line -> line.substring(instruction.length() + 1))
                .toList();
    }

    private static String lint(Path dockerfile) throws IOException, InterruptedException {
        Process node = new ProcessBuilder("node", LINTER.toString(), dockerfile.toString())
                .redirectErrorStream(true)
                .start();
        String found = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(node.waitFor()).as(found).isZero();
        return found;
    }
}
