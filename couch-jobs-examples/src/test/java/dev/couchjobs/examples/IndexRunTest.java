package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexRunTest {
    private static final IndexRun.Settings UNPACED = new IndexRun.Settings(3, 2, Duration.ZERO);

    @TempDir
    Path directory;

    private final Printed out = new Printed();

    private IndexResult run(List<TextFile> files) {
        try (Playground playground = new Playground()) {
            return new IndexRun(directory, files, UNPACED, new ProgressBar(out.stream(), false)).run(playground);
        }
    }

    private List<TextFile> listed() throws IOException {
        return TextFiles.under(directory).texts();
    }

    @Test
    void theIndexHoldsEveryWordOfEveryFile() throws IOException {
        Files.writeString(directory.resolve("one"), "red green red");
        Files.createDirectory(directory.resolve("below"));
        Files.writeString(directory.resolve("below/two"), "Green, blue!");
        Files.createFile(directory.resolve("empty"));

        IndexResult result = run(listed());

        assertThat(result.index()).isEqualTo(new Totals(3, Map.of("red", 2L, "green", 2L, "blue", 1L)));
        assertThat(result.isRight()).isTrue();
        assertThat(result.leftOut()).isEmpty();
    }

    @Test
    void everyJobIsFinishedOnceAlthoughSomeAreLost() throws IOException {
        for (int i = 0; i < 100; i++) {
            Files.writeString(directory.resolve("file" + i), "word");
        }

        IndexResult result = run(listed());

        assertThat(result.index()).isEqualTo(new Totals(100, Map.of("word", 100L)));
        assertThat(result.jobs()).isEqualTo(100);
        assertThat(result.finishes()).isEqualTo(100);
        assertThat(result.victim()).isBetween(1, 3);
        assertThat(result.lostByVictim()).isBetween(1, 2);
        assertThat(result.returns()).isGreaterThanOrEqualTo(result.lostByVictim());
    }

    @Test
    void aFileOfManyPartsIsIndexedWhole() throws IOException {
        String words = IntStream.range(0, 5_000).mapToObj(IndexRunTest::word).collect(Collectors.joining(" "));
        Files.writeString(directory.resolve("large"), words + " " + words);

        IndexResult result = run(listed());

        assertThat(result.isRight()).isTrue();
        assertThat(result.index().differentWords()).isEqualTo(5_000);
        assertThat(result.index().words()).isEqualTo(10_000);
    }

    private static String word(int number) {
        return Integer.toString(number)
                .chars()
                .mapToObj(digit -> Character.toString('a' + digit - '0'))
                .collect(Collectors.joining());
    }

    @Test
    void aFileThatVanishesIsReportedAndSkipped() throws IOException {
        Files.writeString(directory.resolve("here"), "here");
        List<TextFile> files = new ArrayList<>(listed());
        files.add(new TextFile("gone", 4, FileTime.fromMillis(0)));

        IndexResult result = run(files);

        assertThat(out.lines()).contains("gone: skipped, it is gone");
        assertThat(result.leftOut()).containsExactly(Map.entry("gone", "it is gone"));
        assertThat(result.index()).isEqualTo(new Totals(1, Map.of("here", 1L)));
        assertThat(result.isRight()).isTrue();
        assertThat(result.finishes()).isEqualTo(2);
    }

    @Test
    void aFileThatHasChangedIsNotCompared() throws IOException {
        Files.writeString(directory.resolve("same"), "same");
        Files.writeString(directory.resolve("grown"), "longer than it was");
        List<TextFile> files = listed().stream()
                .map(file -> file.path().equals("grown") ? new TextFile("grown", 1, file.modified()) : file)
                .toList();

        IndexResult result = run(files);

        assertThat(result.leftOut()).containsExactly(Map.entry("grown", "it has changed since the run began"));
        assertThat(result.index()).isEqualTo(new Totals(1, Map.of("same", 1L)));
        assertThat(result.isRight()).isTrue();
    }
}
