package dev.couchjobs.bench.profile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import jdk.jfr.consumer.RecordedFrame;
import one.convert.Arguments;
import one.convert.CallStack;
import one.convert.FlameGraph;
import one.convert.Frame;

/** A flame graph as an HTML file. */
final class FlameGraphFile {
    private final FlameGraph graph;
    private final CallStack stack = new CallStack();

    FlameGraphFile(String title) {
        Arguments arguments = new Arguments();
        arguments.title = title;
        graph = new FlameGraph(arguments);
    }

    /** Adds a stack, whose last call comes first, and on top of it perhaps a type that it allocates. */
    void add(List<RecordedFrame> frames, Optional<String> allocated, long weight) {
        for (int index = frames.size() - 1; index >= 0; index--) {
            RecordedFrame frame = frames.get(index);
            stack.push(Frames.name(frame), kind(frame.getType()));
        }
        allocated.ifPresent(type -> stack.push(type, Frame.TYPE_KERNEL));
        graph.addSample(stack, weight);
        stack.clear();
    }

    private static byte kind(String type) {
        return switch (type) {
            case "Interpreted" -> Frame.TYPE_INTERPRETED;
            case "Inlined" -> Frame.TYPE_INLINED;
            case "Native" -> Frame.TYPE_NATIVE;
            default -> Frame.TYPE_JIT_COMPILED;
        };
    }

    void write(Path file) throws IOException {
        try (OutputStream stream = Files.newOutputStream(file)) {
            graph.dump(stream);
        }
    }
}
