package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The map from promise to proof in this package's description names classes and methods that there are. */
class PromisesTest {

    private static final Path SOURCES = Path.of("src/test/java");
    private static final Pattern PROMISE = Pattern.compile("<li>(.*?)(?=<li>|</ul>)");
    private static final Pattern CLASS = Pattern.compile("\\{@code ([A-Z]\\w+(?:Contract|Test))}([^{;]*)");
    private static final Pattern METHOD = Pattern.compile("\\b(?:[a-z]+[A-Z]\\w+)\\b");

    @Test
    void everyPromiseNamesTestsThatExist() throws IOException {
        Map<String, String> sources = testClasses();
        List<String> promises = PROMISE.matcher(description())
                .results()
                .map(promise -> promise.group(1))
                .toList();
        assertThat(promises)
                .isNotEmpty()
                .allSatisfy(promise -> assertThat(missing(promise, sources))
                        .as("what is not there of: %s", promise)
                        .isEmpty());
    }

    private static List<String> missing(String promise, Map<String, String> sources) {
        List<String> missing = new ArrayList<>();
        Matcher classes = CLASS.matcher(promise);
        if (!classes.find()) {
            missing.add("a class for: " + promise);
        }
        for (boolean more = classes.reset().find(); more; more = classes.find()) {
            String source = sources.getOrDefault(classes.group(1), "");
            if (source.isEmpty()) {
                missing.add(classes.group(1));
            }
            Matcher methods = METHOD.matcher(classes.group(2));
            while (methods.find()) {
                if (!source.contains("void " + methods.group() + "(")) {
                    missing.add(classes.group(1) + " " + methods.group());
                }
            }
        }
        return missing;
    }

    private static String description() throws IOException {
        Path file = SOURCES.resolve("dev/couchjobs/fdb/contract/package-info.java");
        return Files.readString(file).replaceAll("\\n \\*\\s*", " ");
    }

    private static Map<String, String> testClasses() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .collect(Collectors.toMap(PromisesTest::className, PromisesTest::text, String::concat));
        }
    }

    private static String className(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
