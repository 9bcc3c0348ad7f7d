package dev.couchjobs.fdb.stackmachine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows the versionstamps of a run, and prints them as their places in the order of commits. */
final class RunVersionstamps {

    /**
     * How often a stamp on the stack is packed into a tuple: as part of a range, again for the log, and both once more
     * each time that the log is in a range which is read; more than a few times is too rare to come up.
     */
    private static final int DEEPEST = 8;

    private final List<byte[]> inOrder;

    RunVersionstamps(List<byte[]> stamps) {
        List<byte[]> sorted = new ArrayList<>(stamps);
        sorted.sort(Comparator.comparing(stamp -> new String(stamp, ISO_8859_1)));
        this.inOrder = sorted;
    }

    String item(@Nullable Object item) {
        return item instanceof byte[] bytes ? "'" + text(bytes) + "'" : Printing.item(item);
    }

    String text(byte[] bytes) {
        String text = ByteArrayUtil.printable(bytes);
        for (int i = 0; i < inOrder.size(); i++) {
            String stamp = ByteArrayUtil.printable(inOrder.get(i));
            for (int depth = 0; depth <= DEEPEST; depth++) {
                text = text.replace(stamp, "<stamp " + i + ">");
                // The tuple layer escapes a zero like this.
                stamp = stamp.replace("\\x00", "\\x00\\xff");
            }
        }
        return text;
    }
}
