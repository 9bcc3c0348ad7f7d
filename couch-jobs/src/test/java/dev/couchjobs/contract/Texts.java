package dev.couchjobs.contract;

import dev.couchjobs.JobType;
import java.util.Random;

/** Jobs whose data is a text, of any length. */
final class Texts {
    static final JobType<String, ?> TYPE = JobType.of("text", String.class);

    private Texts() {}

    /** A text of that many ASCII letters, always the same one. */
    static String ofLength(int length) {
        return new Random(length)
                .ints(length, 'a', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
