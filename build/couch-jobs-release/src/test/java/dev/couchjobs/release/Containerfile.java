package dev.couchjobs.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The instructions of an image, each on a line. */
record Containerfile(List<String> instructions) {
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"");

    static Containerfile read(Path file) throws IOException {
        return new Containerfile(Files.readString(file)
                .replaceAll("(?m)^#.*\\R", "")
                .replaceAll("\\\\\\R\\s*", "")
                .lines()
                .filter(line -> !line.isBlank())
                .toList());
    }

    /** {@return what stands after each instruction of a name} */
    List<String> arguments(String instruction) {
        return instructions.stream()
                .filter(line -> line.startsWith(instruction + " "))
                .map(line -> line.substring(instruction.length() + 1))
                .toList();
    }

    /** {@return the files that are copied, each of which may be a pattern} */
    List<String> copied() {
        return arguments("COPY").stream()
                .map(copy -> copy.split(" "))
                .flatMap(words -> Arrays.stream(words, 0, words.length - 1))
                .toList();
    }

    /** {@return the words of an instruction that needs no shell} */
    List<String> command(String instruction) {
        return WORD.matcher(arguments(instruction).get(0))
                .results()
                .map(word -> word.group(1))
                .toList();
    }
}
