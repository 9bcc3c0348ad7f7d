package dev.couchjobs.fdb.stackmachine;

import dev.couchjobs.fdb.testing.Seeds;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * Which programs a test runs: as many as it says, as many as {@code -Dstackmachine.programs} says, or the one whose seed
 * {@code -Dstackmachine.seed} gives. The seeds are the same each time, so that nothing fails that did not fail before.
 */
record Programs(LongStream seeds) {

    /**
     * {@return the programs from seed 0 on}
     *
     * @param usual how many in the default run
     * @param inLongRun how many in the profile {@code long}
     */
    static Programs of(int usual, int inLongRun) {
        Long seed = Long.getLong("stackmachine.seed");
        int programs = Integer.getInteger("stackmachine.programs", Seeds.isLongRun() ? inLongRun : usual);
        return new Programs(seed == null ? LongStream.range(0, programs) : LongStream.of(seed));
    }

    /** Fails with the first difference; closes the two databases. */
    void check(TestedDatabase one, TestedDatabase other, LongFunction<Program> generator) {
        String test = StackWalker.getInstance()
                .walk(frames -> frames.skip(1)
                        .map(frame -> frame.getClassName().replaceAll(".*\\.", "") + "#" + frame.getMethodName())
                        .findFirst()
                        .orElseThrow());
        try (one;
                other) {
            Comparison comparison = new Comparison(one, other);
            seeds.mapToObj(generator)
                    .map(comparison::run)
                    .flatMap(Optional::stream)
                    .findFirst()
                    .ifPresent(difference -> {
                        throw new AssertionError(difference.report(replay(test, difference.program())));
                    });
        }
    }

    private static String replay(String test, Program program) {
        String profile = test.contains("ClusterTest") ? "-Pfdb " : "";
        return "./mvnw " + profile + "verify -pl fdb-embedded -Dtest=" + test + " -Dstackmachine.seed="
                + program.seed();
    }
}
