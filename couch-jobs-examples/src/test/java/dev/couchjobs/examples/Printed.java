package dev.couchjobs.examples;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Takes what a program prints. */
final class Printed {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    PrintStream stream() {
        return stream;
    }

    String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    List<String> lines() {
        return text().lines().toList();
    }
}
