package dev.couchjobs.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The search of the pages, in Node. */
class SearchTest {
    private static final List<Page> PAGES = List.of(
            Page.of(
                    Path.of("docs/workers.md"),
                    "# Workers\nThey run jobs.\n## Heartbeats\nA *worker* renews `leases`.\n\n| a | b |\n|---|---|\n| one | two |\n"),
            Page.of(Path.of("README.md"), "# Start\nHeartbeats, `</script>` and more.\n"));

    @TempDir
    Path directory;

    @Test
    void aSectionIsFoundByWordsOfItsTextAndHeadings() throws Exception {
        assertThat(found("renews WORKER")).containsExactly("docs/workers.html#heartbeats");
        assertThat(found("heartbeat")).containsExactly("docs/workers.html#heartbeats", "index.html#start");
        assertThat(found("</script>")).containsExactly("index.html#start");
        assertThat(found("one two")).containsExactly("docs/workers.html#heartbeats");
        assertThat(found("jobs leases")).isEmpty();
        assertThat(found(" ")).isEmpty();
    }

    private List<String> found(String query) throws IOException, InterruptedException {
        SearchIndex index = new SearchIndex();
        PAGES.forEach(index::add);
        String script;
        try (InputStream file = Objects.requireNonNull(Site.class.getResourceAsStream("search.js"))) {
            script = new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
        Path program = directory.resolve("search.js");
        Files.writeString(
                program,
                index.script()
                        + script
                        + "for (const section of find(searchIndex, process.argv[2])) { console.log(section.url); }\n");
        Process node = new ProcessBuilder("node", program.toString(), query)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> lines;
        try (InputStream output = node.getInputStream()) {
            lines = new String(output.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
        assertThat(node.waitFor()).isZero();
        return lines;
    }
}
