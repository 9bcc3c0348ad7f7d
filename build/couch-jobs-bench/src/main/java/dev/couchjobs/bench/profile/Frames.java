package dev.couchjobs.bench.profile;

import java.util.List;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;

/** The names of frames. */
final class Frames {
    private static final List<String> OURS = List.of("dev.couchjobs.", "com.apple.foundationdb.");
    private static final String BENCHMARKS = "dev.couchjobs.bench.";

    private Frames() {}

    static String name(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        return withoutAddress(method.getType().getName()) + "." + method.getName();
    }

    /** Whether a frame is of couch-jobs, its engine or FoundationDB's Java. */
    static boolean isOurs(RecordedFrame frame) {
        return isOurs(frame.getMethod().getType().getName());
    }

    static boolean isOurs(String type) {
        return OURS.stream().anyMatch(type::startsWith) && !type.startsWith(BENCHMARKS);
    }

    /** A hidden class has an address in its name, which differs from run to run. */
    private static String withoutAddress(String type) {
        return type.replaceFirst("(\\$\\$Lambda).*", "$1").replaceFirst("[+/]0x.*", "");
    }

    /** The name of an allocated class, also of an array, as in source code. */
    static String typeName(String type) {
        int dimensions = 0;
        while (dimensions < type.length() && type.charAt(dimensions) == '[') {
            dimensions++;
        }
        if (dimensions == 0) {
            return withoutAddress(type);
        }
        String element = type.substring(dimensions);
        String name = switch (element) {
            case "B" -> "byte";
            case "C" -> "char";
            case "D" -> "double";
            case "F" -> "float";
            case "I" -> "int";
            case "J" -> "long";
            case "S" -> "short";
            case "Z" -> "boolean";
            default -> element.substring(1, element.length() - 1);
        };
        return withoutAddress(name) + "[]".repeat(dimensions);
    }
}
