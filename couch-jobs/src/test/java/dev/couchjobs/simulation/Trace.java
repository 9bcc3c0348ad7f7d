package dev.couchjobs.simulation;

import dev.couchjobs.fdb.testing.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** What happened, in order: a digest of all of it, and the last of it in full. */
final class Trace {
    private static final int LINES_KEPT = 60;
    private static final long PRIME = 1_099_511_628_211L;

    private final VirtualScheduler time;
    private final Deque<String> last = new ArrayDeque<>();
    private long digest = 1;
    private int lines;

    Trace(VirtualScheduler time) {
        this.time = time;
    }

    void add(String what) {
        String line = Duration.ofNanos(time.nanoTime()) + " " + what;
        digest = digest * PRIME + line.hashCode();
        lines++;
        last.add(line);
        if (last.size() > LINES_KEPT) {
            last.remove();
        }
    }

    /** {@return equal for equal traces, and hardly ever for others} */
    String digest() {
        return lines + " lines, digest " + Long.toHexString(digest);
    }

    /** {@return the end of it} */
    String tail() {
        return String.join("\n", last);
    }
}
