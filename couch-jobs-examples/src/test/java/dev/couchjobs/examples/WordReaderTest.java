package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordReaderTest {
    @TempDir
    Path directory;

    private List<WordReader.Part> parts(byte[] text) throws IOException {
        Path file = Files.write(directory.resolve("text"), text);
        List<WordReader.Part> parts = new ArrayList<>();
        try (WordReader reader = new WordReader(file)) {
            do {
                parts.add(reader.next());
            } while (!parts.get(parts.size() - 1).isLast());
        }
        return parts;
    }

    private Map<String, Long> words(String text) throws IOException {
        List<WordReader.Part> parts = parts(text.getBytes(StandardCharsets.UTF_8));
        assertThat(parts).hasSize(1);
        return parts.get(0).counts();
    }

    @Test
    void wordsAreRunsOfLettersInLowerCase() throws IOException {
        assertThat(words("Red, red-green 2nd\nÉTÉ")).isEqualTo(Map.of("red", 2L, "green", 1L, "nd", 1L, "été", 1L));
    }

    @Test
    void lettersBeyondTheBasicPlaneAreLetters() throws IOException {
        assertThat(words("\ud801\udc00x y")).isEqualTo(Map.of("\ud801\udc28x", 1L, "y", 1L));
    }

    @Test
    void bytesThatAreNotUtf8SeparateWords() throws IOException {
        byte[] text = {'a', (byte) 0xff, 'b', (byte) 0xc3};

        assertThat(parts(text).get(0).counts()).isEqualTo(Map.of("a", 1L, "b", 1L));
    }

    @Test
    void overlongRunsOfLettersAreNoWords() throws IOException {
        assertThat(words("x".repeat(100) + " " + "y".repeat(101))).isEqualTo(Map.of("x".repeat(100), 1L));
    }

    @Test
    void anEmptyFileIsOneEmptyPart() throws IOException {
        assertThat(parts(new byte[0])).containsExactly(new WordReader.Part(0, Map.of(), true));
    }

    @Test
    void manyDifferentWordsAndLongTextsMakeSeveralPartsEachTimeTheSame() throws IOException {
        StringBuilder text = new StringBuilder("same ".repeat(100_000));
        for (char first = 'a'; first <= 'z'; first++) {
            for (char second = 'a'; second <= 'z'; second++) {
                text.append(first)
                        .append(second)
                        .append(" x")
                        .append(first)
                        .append(second)
                        .append(' ');
            }
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);

        List<WordReader.Part> parts = parts(bytes);

        assertThat(parts).extracting(WordReader.Part::number).containsExactly(0, 1, 2);
        assertThat(parts).extracting(part -> part.counts().size()).containsExactly(1, 1_000, 353);
        assertThat(parts.stream().mapToLong(WordReader.Part::words).sum()).isEqualTo(100_000 + 2 * 26 * 26);
        assertThat(parts(bytes)).isEqualTo(parts);
    }
}
