package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user sees of the word index. */
class WordIndexTest {
    private static final Pattern DASHBOARD = Pattern.compile("The dashboard: (http://127\\.0\\.0\\.1:\\d+/)");
    private static final Pattern STOPPED = Pattern.compile("processor (\\d) stops dead, half-way through (.*)");
    private static final Pattern CAME_BACK = Pattern.compile("(.*): no heartbeat for 1 s, pending again");
    private static final Pattern FINISHED = Pattern.compile("(.*): finished by processor (\\d)");

    @TempDir
    Path directory;

    private final Printed out = new Printed();
    private final Printed err = new Printed();

    private int run(String... args) {
        return new WordIndex(InputStream.nullInputStream(), out.stream(), err.stream(), false).run(List.of(args));
    }

    private void writeFiles(int number) throws IOException {
        for (int i = 0; i < number; i++) {
            Files.writeString(directory.resolve("file" + i + ".txt"), "a word, and a number: " + i);
        }
    }

    @Test
    void theJobsOfTheAbandonedProcessorComeBackAndAreFinishedByOthers() throws IOException {
        writeFiles(30);

        assertThat(run(directory.toString())).isZero();

        Map<String, String> stopped = matching(STOPPED);
        Map<String, String> finished = matching(FINISHED);
        assertThat(stopped).hasSize(1);
        assertThat(matching(CAME_BACK).keySet()).containsAll(stopped.values()).isEqualTo(finished.keySet());
        stopped.forEach((victim, path) -> assertThat(finished).doesNotContainEntry(path, victim));
    }

    /** {@return the first group of each line that matches, with the last group} */
    private Map<String, String> matching(Pattern pattern) {
        Map<String, String> found = new TreeMap<>();
        for (String line : out.lines()) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                found.put(matcher.group(1), matcher.group(matcher.groupCount()));
            }
        }
        return found;
    }

    @Test
    void theAbandonedProcessorIsRefusedWhenItWakesUp() throws IOException {
        writeFiles(3);

        assertThat(run(directory.toString())).isZero();

        assertThat(out.text())
                .containsPattern("processor \\d wakes up with its \\d jobs?: JobHaltedException, nothing is written");
    }

    @Test
    void theTotalsAreShownAndAgreeWithAPlainCount() throws IOException {
        writeFiles(12);

        assertThat(run(directory.toString())).isZero();

        assertThat(out.text())
                .contains("12 text files under " + directory)
                .contains("100%  pending 0, running 0, finished 12")
                .contains("The index: 12 files, 60 words, 4 distinct.")
                .contains("Most often: a 24, and 12, number 12, word 12.")
                .contains("12 files, 60 words; processor ")
                .contains("all jobs finished, none twice; a plain count agrees with the index.");
        assertThat(err.text()).isEmpty();
    }

    @Test
    @SuppressWarnings("InputStreamSlowMultibyteRead") // one byte is read
    void onATerminalTheDashboardIsThereUntilEnter() throws IOException {
        writeFiles(3);
        StringBuilder seen = new StringBuilder();
        InputStream enter = new InputStream() {
            @Override
            public int read() {
                seen.append(get("assets/libraries/preact.mjs"))
                        .append(get(""))
                        .append(get("v1/types/" + FileJob.TYPE.name()));
                return '\n';
            }
        };

        assertThat(new WordIndex(enter, out.stream(), err.stream(), true).run(List.of(directory.toString())))
                .as("%s%n%s", out.text(), err.text())
                .isZero();

        assertThat(seen).contains("export", "<title>couch-jobs</title>", "\"succeeded\":3");
        assertThat(out.lines()).last().isEqualTo("The dashboard shows the jobs until you press Enter.");
        assertThatThrownBy(() -> get("")).hasMessageContaining("refused");
    }

    private String get(String path) {
        String address = matching(DASHBOARD).keySet().iterator().next();
        try (InputStream reply = URI.create(address + path).toURL().openStream()) {
            return new String(reply.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyLineButThatOfTheDirectoryFitsInto80Columns() throws IOException {
        Path nested = Files.createDirectories(directory.resolve("a".repeat(50)).resolve("b".repeat(50)));
        for (int i = 0; i < 30; i++) {
            Files.writeString(nested.resolve("file" + i + ".txt"), "a word, and a number: " + i);
        }

        assertThat(run(directory.toString())).isZero();

        assertThat(out.lines().stream().skip(1)).allMatch(line -> line.length() <= 80);
    }

    @Test
    void aSingleFileIsEnoughForAnAccident() throws IOException {
        writeFiles(1);

        assertThat(run(directory.toString())).isZero();

        assertThat(out.text())
                .contains("1 text file under ")
                .containsPattern("file0.txt: finished by processor \\d")
                .containsPattern("1 file, 5 words; processor \\d of 4 died with 1 job[;,]");
    }

    @Test
    void binaryFilesAreCountedAndWhatIsHiddenOrBuiltIsLeftOut() throws IOException {
        writeFiles(1);
        Files.write(directory.resolve("picture"), new byte[] {'P', 0, 'G'});
        for (String unwanted : List.of(".git", "target", "node_modules")) {
            Files.createDirectory(directory.resolve(unwanted));
            Files.writeString(directory.resolve(unwanted).resolve("generated.txt"), "not for the index");
        }

        assertThat(run(directory.toString())).isZero();

        assertThat(out.text()).contains("1 text file under " + directory + " (1 binary file skipped)");
        assertThat(out.text()).contains("The index: 1 file, 5 words");
    }

    @Test
    void anEmptyDirectoryIsNothingToIndex() {
        assertThat(run(directory.toString())).isZero();

        assertThat(out.lines()).containsExactly("Nothing to index: there is no text file under " + directory + ".");
    }

    @Test
    void aDirectoryOfBinaryFilesIsNothingToIndex() throws IOException {
        Files.write(directory.resolve("picture"), new byte[] {'P', 0, 'G'});

        assertThat(run(directory.toString())).isZero();

        assertThat(out.lines())
                .containsExactly(
                        "Nothing to index: there is no text file under " + directory + " (1 binary file skipped).");
    }

    @Test
    void aMissingDirectoryIsRefusedInOneLine() {
        Path missing = directory.resolve("missing");

        assertThat(run(missing.toString())).isEqualTo(2);

        assertThat(err.lines()).containsExactly("There is no " + missing + ".");
        assertThat(out.text()).isEmpty();
    }

    @Test
    void aPlainFileIsRefusedInOneLine() throws IOException {
        writeFiles(1);
        Path file = directory.resolve("file0.txt");

        assertThat(run(file.toString())).isEqualTo(2);

        assertThat(err.lines()).containsExactly(file + " is not a directory; give one.");
    }

    @Test
    void whatCannotBeAPathIsRefusedInOneLine() {
        assertThat(run("a\0b")).isEqualTo(2);

        assertThat(err.lines()).hasSize(1).first().asString().startsWith("Not a valid path: ");
    }

    @Test
    void unknownArgumentsAreAnsweredByTheUsage() {
        assertThat(run("--fast")).isEqualTo(2);
        assertThat(err.text())
                .startsWith("One PATH is expected, these were given: [--fast].")
                .contains("Usage: WordIndex [PATH]");

        assertThat(run("one", "two")).isEqualTo(2);
        assertThat(err.text()).contains("these were given: [one, two].");
    }

    @Test
    void helpIsTheUsage() {
        assertThat(run("--help")).isZero();

        assertThat(out.text()).startsWith("Usage: WordIndex [PATH]");
        assertThat(err.text()).isEmpty();
    }
}
