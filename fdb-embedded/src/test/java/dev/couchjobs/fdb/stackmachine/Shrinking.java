package dev.couchjobs.fdb.stackmachine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Delta debugging: leaves out steps, first many at a time and in the end one by one, for as long as the fault stays.
 */
final class Shrinking {

    private Shrinking() {}

    /** A program that still has the fault, and loses it with any single step. */
    static Program of(Program program, Predicate<Program> hasFault) {
        Program smallest = program;
        int chunk = Math.max(1, program.groups().size() / 2);
        while (true) {
            Program smaller = withoutChunks(smallest, chunk, hasFault);
            boolean progress = smaller.groups().size() < smallest.groups().size();
            smallest = smaller;
            if (chunk == 1 && !progress) {
                return smallest;
            }
            chunk = Math.max(1, chunk / 2);
        }
    }

    private static Program withoutChunks(Program program, int chunk, Predicate<Program> hasFault) {
        Program smallest = program;
        int at = 0;
        while (at < smallest.groups().size()) {
            List<InstructionGroup> fewer = new ArrayList<>(smallest.groups());
            fewer.subList(at, Math.min(at + chunk, fewer.size())).clear();
            Program candidate = smallest.with(fewer);
            if (hasFault.test(candidate)) {
                smallest = candidate;
            } else {
                at += chunk;
            }
        }
        return smallest;
    }
}
