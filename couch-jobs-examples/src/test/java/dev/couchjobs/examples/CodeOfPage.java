package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The Java that a page shows, to be the code of a test, which runs it. */
final class CodeOfPage {
    private static final Path TESTS = Path.of("src/test/java/dev/couchjobs/examples");
    private static final Path EXAMPLES = Path.of("src/main/java/dev/couchjobs/examples");
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private CodeOfPage() {}

    /** Every line of it is in the test or an example, and there are at least so many. */
    static void isIn(String page, Class<?> test, int atLeast, Class<?>... examples) throws IOException {
        StringBuilder code = new StringBuilder(bare(read(TESTS.resolve(test.getSimpleName() + ".java"))));
        for (Class<?> example : examples) {
            code.append(bare(read(EXAMPLES.resolve(example.getSimpleName() + ".java"))));
        }
        List<String> lines = BLOCK.matcher(read(Path.of("..", page)))
                .results()
                .flatMap(block -> block.group(1).lines())
                .filter(line -> !bare(line).isEmpty())
                .toList();
        assertThat(lines).allSatisfy(line -> assertThat(code).contains(bare(line)));
        assertThat(lines).hasSizeGreaterThanOrEqualTo(atLeast);
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    /** Without comments and white space, which a formatter may lay out otherwise. */
    private static String bare(String code) {
        return code.replaceAll("//.*", "").replaceAll("\\s", "");
    }
}
