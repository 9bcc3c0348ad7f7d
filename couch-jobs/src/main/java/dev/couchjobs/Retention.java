package dev.couchjobs;

import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How long a job is kept after it has ended, by how it ended. When the time is up it is removed, as by
 * {@link CouchJobs#remove}. Immutable.
 *
 * <p>The time is fixed when the job ends, by the clock of the process that ends it; another retention does not change
 * it for jobs that have ended already. The {@linkplain JobTypes#setTypeRetention stored retention} of a type counts in
 * place of that in the code.
 */
public final class Retention {
    private static final Retention STANDARD = new Retention(Duration.ofDays(7), Duration.ofDays(90), false, false);

    private final @Nullable Duration ended;
    private final @Nullable Duration failed;
    private final boolean archived;
    private final boolean byGraph;

    private Retention(@Nullable Duration ended, @Nullable Duration failed, boolean archived, boolean byGraph) {
        this.ended = ended;
        this.failed = failed;
        this.archived = archived;
        this.byGraph = byGraph;
    }

    /** {@return what job types have if they do not say otherwise: a week, and 90 days for jobs that failed} */
    public static Retention standard() {
        return STANDARD;
    }

    /** {@return jobs stay until they are removed} */
    public static Retention forever() {
        return new Retention(null, null, false, false);
    }

    /**
     * Jobs stay for a time, however they ended.
     *
     * @param time zero or more, at most 36,500 days; after zero nothing of a job outlives its end, so that neither its
     *     result nor its state can be asked for
     * @return the retention
     * @throws IllegalArgumentException if the time is negative or too long
     */
    public static Retention of(Duration time) {
        return new Retention(Durations.notNegative("time", time), time, false, false);
    }

    /**
     * The same retention, but another one for jobs that failed.
     *
     * @param time zero or more, at most 36,500 days
     * @return the retention
     * @throws IllegalArgumentException if the time is negative or too long
     */
    public Retention failed(Duration time) {
        return new Retention(ended, Durations.notNegative("time", time), archived, byGraph);
    }

    /**
     * The same retention, but jobs that failed stay until they are removed or sent again.
     *
     * @return the retention
     */
    public Retention failedForever() {
        return new Retention(ended, null, archived, byGraph);
    }

    /**
     * The same retention, but a job goes only once an archive has taken it.
     *
     * @return the retention
     */
    public Retention archived() {
        return new Retention(ended, failed, true, byGraph);
    }

    /**
     * The same retention, but jobs that depend on each other go only once all of them have ended.
     *
     * <p>When a job of the type is added with dependencies, it and these belong to one graph, of whatever types they
     * are, and so do all jobs that are connected with them in that way. Even a job with a retention of zero stays until
     * no job of its graph is pending or running. It then goes when its own retention is over; one that was over before
     * is looked at again after twice the time, but at least once a day.
     *
     * <p>A graph that never ends is never removed. So do not let each run of a job that repeats without end wait for
     * the one before: such jobs are one graph.
     *
     * @return the retention
     * @see CouchJobs#remove removal by hand, which does not wait for a graph
     */
    public Retention byGraph() {
        return new Retention(ended, failed, archived, true);
    }

    /** {@return whether a job is kept until all jobs that are connected with it have ended} */
    public boolean isByGraph() {
        return byGraph;
    }

    /** {@return whether a job goes only once an archive has taken it} */
    public boolean isArchived() {
        return archived;
    }

    /**
     * How long a job stays.
     *
     * @param outcome how it ended
     * @return the time, or empty if it stays until it is removed
     */
    public Optional<Duration> after(Outcome outcome) {
        return Optional.ofNullable(outcome == Outcome.FAILED ? failed : ended);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Retention that
                && Objects.equals(ended, that.ended)
                && Objects.equals(failed, that.failed)
                && archived == that.archived
                && byGraph == that.byGraph;
    }

    @Override
    public int hashCode() {
        return Objects.hash(ended, failed, archived, byGraph);
    }

    @Override
    public String toString() {
        return "Retention[ended " + text(ended) + ", failed " + text(failed) + (archived ? ", archived" : "")
                + (byGraph ? ", by graph]" : "]");
    }

    private static String text(@Nullable Duration time) {
        return time == null ? "forever" : time.toString();
    }
}
