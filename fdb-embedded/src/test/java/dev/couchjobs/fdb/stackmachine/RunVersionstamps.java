package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Knows the versionstamps of a run, and prints them as their places in the order of commits. */
final class RunVersionstamps {

    /**
     * How often a stamp on the stack is packed into a tuple: as part of a range, again for the log, and both once more
     * each time that the log is in a range which is read; more than a few times is too rare to come up.
     */
    private static final int DEEPEST = 8;

    /** How each stamp may be printed, in the order of commits. */
    private final List<List<String>> printed;

    RunVersionstamps(List<byte[]> stamps) {
        printed = stamps.stream()
                .sorted(Arrays::compareUnsigned)
                .map(RunVersionstamps::printed)
                .toList();
    }

    private static List<String> printed(byte[] stamp) {
        // The tuple layer escapes a zero like this.
        return Stream.iterate(ByteArrayUtil.printable(stamp), text -> text.replace("\\x00", "\\x00\\xff"))
                .limit(DEEPEST + 1)
                .distinct()
                .toList();
    }

    String item(@Nullable Object item) {
        return item instanceof byte[] bytes ? "'" + text(bytes) + "'" : Printing.item(item);
    }

    String text(byte[] bytes) {
        String text = ByteArrayUtil.printable(bytes);
        for (int i = 0; i < printed.size(); i++) {
            for (String stamp : printed.get(i)) {
                text = text.replace(stamp, "<stamp " + i + ">");
            }
        }
        return text;
    }
}
