package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The Java of the page stands in the sample, which tests run. */
class PageTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Path SAMPLE = Path.of("src/sample/src");

    @Test
    void itsCodeIsThatOfTheSample() throws IOException {
        String sample;
        try (Stream<Path> files = Files.walk(SAMPLE)) {
            sample = files.filter(Files::isRegularFile)
                    .map(PageTest::read)
                    .map(PageTest::bare)
                    .collect(Collectors.joining());
        }
        List<String> lines = BLOCK.matcher(read(Path.of("../../docs/spring-boot.md")))
                .results()
                .flatMap(block -> block.group(1).lines())
                .filter(line -> !line.isBlank())
                .toList();

        assertThat(lines)
                .hasSizeGreaterThan(20)
                .allSatisfy(line -> assertThat(sample).contains(bare(line)));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String bare(String code) {
        return code.replaceAll("\\s", "");
    }
}
