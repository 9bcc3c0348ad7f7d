package dev.couchjobs.simulation;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a row of the main table says beyond RFC 007.
 *
 * @param data as JSON, or null if that is in rows of its own
 * @param attemptsMax how often its own retry policy lets it be tried; 0 if it has none
 * @param claims how often it was claimed
 * @param failures how many attempts have failed since it was enqueued anew
 * @param suspect whether a claim on it has expired since it was enqueued anew
 * @param begun whether the work under its last claim is known to have begun
 * @param how how its last claim ended, or null if none has
 * @param endedAt when that was, in milliseconds since the epoch
 * @param result what came of it as JSON, or null if nothing did
 * @param removeAt when it is to be removed, in seconds since the epoch
 * @param uniqueKey its unique key, or null if it has none
 * @param hasTurnKey whether it has a turn key
 * @param sequence its sequence, or null if it is in none
 * @param deadline its deadline in milliseconds since the epoch; 0 for none
 * @param graph the graph that it belongs to, or 0
 * @param claimedAt when it was last claimed, in milliseconds since the epoch, by the clock of that process
 */
record MainRow(
        JobState state,
        @Nullable UUID lock,
        long scheduledTime,
        boolean resubmit,
        @Nullable String data,
        int priority,
        boolean blocked,
        int attemptsMax,
        long claims,
        int failures,
        boolean suspect,
        boolean begun,
        @Nullable String how,
        long endedAt,
        @Nullable String result,
        long removeAt,
        boolean archived,
        @Nullable String uniqueKey,
        boolean hasTurnKey,
        @Nullable String sequence,
        long deadline,
        long graph,
        long claimedAt) {
    private static final int JOB_OPTIONS = 6;
    private static final int CLAIM_INFO = 7;
    private static final int ENDING = 8;
    private static final int EXPIRIES = 6;
    private static final int BEGUN = 7;
    private static final int DEPENDENCIES = 5;
    private static final int GRAPH = 4;
    private static final int UNIQUE_KEY = 10;
    private static final int TURN_KEY = 13;
    private static final int SEQUENCE = 14;
    private static final int HELD = 17;
    private static final int DEADLINE = 18;
    private static final int SINCE = 3;

    static MainRow decode(Tuple row) {
        UUID lock = row.getUUID(1);
        JobState idle = row.get(0) == null ? JobState.FINISHED : JobState.PENDING;
        Tuple options = nested(row, JOB_OPTIONS);
        Tuple retry = nested(options, 4);
        Tuple claimInfo = nested(row, CLAIM_INFO);
        Tuple ending = nested(row, ENDING);
        return new MainRow(
                lock == null ? idle : JobState.RUNNING,
                lock,
                row.getLong(2),
                row.getBoolean(3),
                inline(row.get(4) instanceof List<?> ? row.getNestedTuple(4).get(0) : row.get(4)),
                options.isEmpty() ? 0 : Math.toIntExact(options.getLong(0)),
                !options.isEmpty() && (options.getBoolean(3) || (options.size() > HELD && options.getBoolean(HELD))),
                retry.isEmpty() ? 0 : Math.toIntExact(retry.getLong(0)),
                claimInfo.isEmpty() ? 0 : claimInfo.getLong(0),
                claimInfo.isEmpty() ? 0 : Math.toIntExact(claimInfo.getLong(1)),
                claimInfo.size() > EXPIRIES && claimInfo.getLong(EXPIRIES) > 0,
                claimInfo.size() <= BEGUN || claimInfo.getBoolean(BEGUN),
                ending.isEmpty() ? null : ending.getString(0),
                ending.isEmpty() ? 0 : ending.getLong(1),
                ending.isEmpty() ? null : inline(ending.get(3)),
                ending.isEmpty() ? 0 : ending.getLong(4),
                !ending.isEmpty() && ending.getBoolean(5),
                uniqueKey(options),
                options.size() > TURN_KEY && options.get(TURN_KEY) != null,
                sequence(options),
                options.size() > DEADLINE ? options.getLong(DEADLINE) : 0,
                graph(options),
                claimInfo.isEmpty() ? 0 : claimInfo.getLong(SINCE));
    }

    private static long graph(Tuple options) {
        Tuple dependencies = nested(options, DEPENDENCIES);
        return dependencies.size() > GRAPH ? dependencies.getLong(GRAPH) : 0;
    }

    private static @Nullable String uniqueKey(Tuple options) {
        return options.size() <= UNIQUE_KEY || options.getString(UNIQUE_KEY).isEmpty()
                ? null
                : options.getString(UNIQUE_KEY);
    }

    private static @Nullable String sequence(Tuple options) {
        return options.size() <= SEQUENCE || options.getString(SEQUENCE).isEmpty() ? null : options.getString(SEQUENCE);
    }

    private static Tuple nested(Tuple tuple, int index) {
        return tuple.size() > index && tuple.get(index) != null ? tuple.getNestedTuple(index) : new Tuple();
    }

    private static @Nullable String inline(@Nullable Object json) {
        return json instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : null;
    }

    /** {@return a text as it is stored; here none has anything that JSON would escape} */
    static String json(String text) {
        return '"' + text + '"';
    }

    /** {@return this in another graph: a job that has ended joins one when another names it as its dependency} */
    MainRow inGraph(long other) {
        return new MainRow(
                state,
                lock,
                scheduledTime,
                resubmit,
                data,
                priority,
                blocked,
                attemptsMax,
                claims,
                failures,
                suspect,
                begun,
                how,
                endedAt,
                result,
                removeAt,
                archived,
                uniqueKey,
                hasTurnKey,
                sequence,
                deadline,
                other,
                claimedAt);
    }

    /** Whether it runs by a claim that it did not have before. */
    boolean isClaimedSince(@Nullable MainRow before) {
        return lock != null && (before == null || !lock.equals(before.lock));
    }

    /** No two adds of a job have the same data. */
    boolean hasDataOf(MainRow other) {
        return Objects.equals(data, other.data);
    }

    boolean isBlocked() {
        return state == JobState.PENDING && blocked;
    }

    /** Whether whoever takes jobs at any time may take this one. */
    boolean isClaimable() {
        return state == JobState.PENDING && !blocked && scheduledTime == 0;
    }

    boolean attemptFailed() {
        return "failed".equals(how) || "expired".equals(how);
    }

    /** Whether its last claim counts among the attempts that have failed. */
    boolean countsAsFailure() {
        return "failed".equals(how) || ("expired".equals(how) && begun);
    }

    boolean isFinished(Outcome outcome) {
        return state == JobState.FINISHED && outcome() == outcome;
    }

    private Outcome outcome() {
        if (attemptFailed()) {
            return Outcome.FAILED;
        }
        if ("late".equals(how)) {
            return Outcome.EXPIRED;
        }
        return "cancelled".equals(how) ? Outcome.CANCELLED : Outcome.SUCCEEDED;
    }

    /** Where a type's counters count it. */
    int lane() {
        return switch (state) {
            case PENDING -> blocked ? 1 : 0;
            case RUNNING -> 2;
            case FINISHED ->
                switch (outcome()) {
                    case SUCCEEDED -> 3;
                    case FAILED -> 4;
                    case CANCELLED -> 5;
                    case EXPIRED -> 6;
                };
            case NOT_FOUND -> throw new AssertionError(this);
        };
    }
}
