package dev.couchjobs.fdb.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The events of a {@link Simulation}, one line each: the virtual time, the process and the event. Keeps only the last
 * lines, and a digest of all; {@link SimulationBuilder#traceTo} receives every line.
 */
public final class Trace {
    private static final int LINES_KEPT = 100;
    private static final long PRIME = 1_099_511_628_211L;

    private final Deque<Line> last = new ArrayDeque<>();
    private final VirtualScheduler time;
    private final @Nullable Consumer<String> lines;
    private long digest = 1;
    private long count;

    /** A line, which is formatted only when it is read. */
    private record Line(
            long nanos,
            String actor,
            String event,
            @Nullable Object detail) {

        int digest() {
            return (31 * actor.hashCode() + event.hashCode()) * 31 + Objects.hashCode(detail);
        }

        @Override
        public String toString() {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
            String fraction = Long.toString(TimeUnit.SECONDS.toNanos(1) + nanos % TimeUnit.SECONDS.toNanos(1));
            String line = seconds + "." + fraction.substring(1) + " " + actor + " " + event;
            return detail == null ? line : line + " " + detail;
        }
    }

    Trace(VirtualScheduler time, @Nullable Consumer<String> lines) {
        this.time = time;
        this.lines = lines;
    }

    void add(String actor, String event) {
        add(new Line(time.nanoTime(), actor, event, null));
    }

    /** Whatever the detail is, its hash code may not differ from one run to the next. */
    void add(String actor, String event, Object detail) {
        add(new Line(time.nanoTime(), actor, event, detail));
    }

    private void add(Line line) {
        count++;
        digest = (digest * PRIME + line.nanos) * PRIME + line.digest();
        last.add(line);
        if (last.size() > LINES_KEPT) {
            last.remove();
        }
        if (lines != null) {
            lines.accept(line.toString());
        }
    }

    /**
     * Sums up all of it.
     *
     * @return equal for equal traces, and hardly ever for others
     */
    public String digest() {
        return count + " lines, digest " + Long.toHexString(digest);
    }

    /**
     * Returns what happened last.
     *
     * @return the last hundred lines
     */
    public String tail() {
        return last.stream().map(Line::toString).collect(Collectors.joining("\n"));
    }

    @Override
    public String toString() {
        return digest();
    }
}
