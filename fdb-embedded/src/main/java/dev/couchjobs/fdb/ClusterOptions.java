package dev.couchjobs.fdb;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * What holds for all transactions of a cluster that is opened, unless they say otherwise. FoundationDB's own defaults
 * wait forever; these do not.
 *
 * @param answerWithin how long opening waits for the cluster; zero for a caller who waits himself
 * @param timeout how long a transaction may take with all its tries, then it fails with error 1031; zero for any time.
 *     Watches may wait for longer
 * @param retries how often a transaction is tried again before it fails with its error; -1 for any number, within its
 *     time
 * @param longestPause the longest pause between two tries
 * @param traces the directory into which the client writes its traces; none are written if empty. It holds for all
 *     clusters of a process, and counts only with the first that is opened
 * @param executor runs what follows on the answers of the cluster; the client's own threads if empty
 */
public record ClusterOptions(
        Duration answerWithin,
        Duration timeout,
        int retries,
        Duration longestPause,
        Optional<Path> traces,
        Optional<Executor> executor) {

    /**
     * Checks them.
     *
     * @param answerWithin see above
     * @param timeout see above
     * @param retries see above
     * @param longestPause see above
     * @param traces see above
     * @param executor see above
     * @throws IllegalArgumentException if a time or a number is invalid
     */
    public ClusterOptions {
        require(!answerWithin.isNegative(), "no answer comes before it is asked for");
        require(!timeout.isNegative() && timeout.toMillis() <= Integer.MAX_VALUE, "a transaction takes 0 to 24 days");
        require(retries >= -1, "a transaction is tried again 0 times or more, or -1 for any number");
        require(!longestPause.isNegative(), "a pause is not negative");
    }

    /**
     * {@return the options that hold if nothing is said} The cluster answers within 5 seconds; a transaction takes at
     * most a minute, is tried again as often as that allows, and pauses for a second at most; no traces.
     */
    public static ClusterOptions defaults() {
        return new ClusterOptions(
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                -1,
                Duration.ofSeconds(1),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * {@return these options, but opening waits for so long}
     *
     * @param time zero to have it opened without a question
     */
    public ClusterOptions answerWithin(Duration time) {
        return new ClusterOptions(time, timeout, retries, longestPause, traces, executor);
    }

    /**
     * {@return these options, but a transaction may take so long}
     *
     * @param time zero for any time
     */
    public ClusterOptions timeout(Duration time) {
        return new ClusterOptions(answerWithin, time, retries, longestPause, traces, executor);
    }

    /**
     * {@return these options, but a transaction is tried again so often}
     *
     * @param number -1 for any number
     */
    public ClusterOptions retries(int number) {
        return new ClusterOptions(answerWithin, timeout, number, longestPause, traces, executor);
    }

    /**
     * {@return these options, but with the client's traces}
     *
     * @param directory where they are written
     */
    public ClusterOptions traces(Path directory) {
        return new ClusterOptions(answerWithin, timeout, retries, longestPause, Optional.of(directory), executor);
    }

    /**
     * {@return these options, but with an executor}
     *
     * @param other stays the caller's
     */
    public ClusterOptions executor(Executor other) {
        return new ClusterOptions(answerWithin, timeout, retries, longestPause, traces, Optional.of(other));
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }
}
