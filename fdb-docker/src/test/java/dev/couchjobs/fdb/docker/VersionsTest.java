package dev.couchjobs.fdb.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** FoundationDB's version is said in the parent pom; all that name it again name the same. */
class VersionsTest {
    private static final Pattern IMAGE = Pattern.compile("foundationdb/foundationdb(?<tag>:[\\w.]*)?+(?![\\w/])");

    @Test
    void serversAndTheJavaClientAreOfOneMinorVersion() {
        assertThat(minor(Module.serverVersion())).isEqualTo(minor(Module.property("fdb-java.version")));
    }

    @Test
    void theContainerIsOfThePinnedVersion() {
        assertThat(FoundationDbContainer.IMAGE).isEqualTo("foundationdb/foundationdb:" + Module.serverVersion());
    }

    @Test
    void whatNamesTheImageNamesItInThePinnedVersion() throws IOException {
        List<Path> files = files();
        assertThat(files).hasSizeGreaterThan(5);
        assertThat(files.stream().flatMap(file -> tags(Module.read(file))))
                .hasSizeGreaterThanOrEqualTo(2)
                .containsOnly(":" + Module.serverVersion());
    }

    @Test
    void thePageNamesThePinnedVersion() {
        assertThat(Module.read(Module.ROOT.resolve("README.md"))).contains("| " + Module.serverVersion() + " |");
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(Module.ROOT)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.startsWith(Module.IMAGE)
                            || file.toString().endsWith(".yaml")
                            || file.toString().endsWith(".md"))
                    .filter(file -> !file.startsWith(Module.ROOT.resolve("target")))
                    .toList();
        }
    }

    private static Stream<String> tags(String text) {
        return IMAGE.matcher(text).results().map(MatchResult::group).map(name -> name.replaceFirst("^[^:]*", ""));
    }

    private static String minor(String version) {
        return version.replaceFirst("\\.\\d+$", "");
    }
}
