package dev.couchjobs.fdb.stackmachine;

import java.util.List;

/** A program on whose outcome two databases do not agree. */
record Difference(Program program, String oneName, ProgramResult one, String otherName, ProgramResult other) {

    /** All that somebody needs who wants to know why. */
    String report(String replay) {
        return """
                %s and %s differ on seed %d. What remains of the program:
                %s
                %s%s
                Replay it with
                  %s
                """.formatted(
                oneName, otherName, program.seed(), program, side(oneName, one), side(otherName, other), replay);
    }

    private static String side(String name, ProgramResult result) {
        return "Stack of " + name + ":\n" + lines(result.stack()) + "Contents of " + name + ":\n"
                + lines(result.contents());
    }

    private static String lines(List<String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append("  ").append(line).append('\n'));
        return text.toString();
    }
}
