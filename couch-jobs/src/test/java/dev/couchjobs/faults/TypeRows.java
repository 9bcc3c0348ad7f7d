package dev.couchjobs.faults;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one job type, read as RFC 007 describes them and without any help from the library.
 *
 * @param data the main table, by id
 * @param pending the pending queue
 * @param activity the activity index
 * @param chunks how many rows the payload of a job has, by id
 * @param feed the change feed, oldest first
 * @param lastStates what the feed said last of a job, by id
 * @param linkRows who waits for whom, as either side has it
 * @param indexes the rows of the other indexes
 */
public record TypeRows(
        Map<String, Data> data,
        Set<Pending> pending,
        Map<Versionstamp, Set<String>> activity,
        Map<String, Integer> chunks,
        List<Change> feed,
        Map<String, JobState> lastStates,
        LinkRows linkRows,
        IndexRows indexes) {

    /**
     * A row of the main table; with its data, unless that is in chunks.
     *
     * @param options the element behind the RFC's for what its creator asked for
     * @param claimInfo the element for its claims
     * @param ending the element for how its last claim ended
     */
    public record Data(
            @Nullable Versionstamp sequence,
            @Nullable UUID lock,
            JobState state,
            long scheduledTime,
            boolean resubmit,
            int chunks,
            @Nullable String json,
            @Nullable UUID finishedBy,
            Tuple options,
            Tuple claimInfo,
            Tuple ending) {
        private static final Tuple NO_TERMS = Tuple.from(0, 0, false, false);
        private static final int LIMIT_KEY = 9;
        private static final int TURN_KEY = 13;
        private static final int HELD = 17;
        private static final Tuple NO_CLAIM = Tuple.from(0, 0, "", 0, false);

        /** Data for the next run of a running job is nested. */
        private static Object dataOf(Tuple row) {
            return row.get(4) instanceof List<?> ? row.getNestedTuple(4).get(0) : row.get(4);
        }

        int priority() {
            return Math.toIntExact(options.getLong(0));
        }

        boolean blocked() {
            boolean isHeld = options.size() > HELD && options.getBoolean(HELD);
            return state == JobState.PENDING && (options.getBoolean(3) || isHeld);
        }

        boolean waitsForDependency() {
            return state == JobState.PENDING && options.getBoolean(3);
        }

        /** {@return its turn key, or null if it has none} */
        @Nullable String turnKey() {
            return options.size() > TURN_KEY ? options.getString(TURN_KEY) : null;
        }

        /** {@return its limit key, or null if it has none} */
        @Nullable String limitKey() {
            return options.size() > LIMIT_KEY ? options.getString(LIMIT_KEY) : null;
        }

        /** {@return whether it waits for its scheduled time in the later part of the ranked queue for its limit key} */
        boolean isLaterForItsLimitKey() {
            return limitKey() != null && scheduledTime != 0 && !options.getBoolean(2);
        }

        boolean failed() {
            return !ending.isEmpty() && !ending.getString(0).equals("succeeded");
        }

        /** {@return whether its last claim, or the job, ended in a way} */
        public boolean hasEndedAs(String how) {
            return !ending.isEmpty() && ending.getString(0).equals(how);
        }

        boolean isDeadLetter() {
            return state == JobState.FINISHED
                    && !ending.isEmpty()
                    && Set.of("failed", "expired").contains(ending.getString(0));
        }

        private static Tuple nested(Tuple row, int index, Tuple otherwise) {
            return row.size() > index && row.get(index) != null ? row.getNestedTuple(index) : otherwise;
        }

        private static Data decode(Tuple row) {
            UUID lock = row.getUUID(1);
            JobState idle = row.get(0) == null ? JobState.FINISHED : JobState.PENDING;
            return new Data(
                    row.get(0) instanceof Versionstamp sequence ? sequence : null,
                    lock,
                    lock == null ? idle : JobState.RUNNING,
                    row.getLong(2),
                    row.getBoolean(3),
                    dataOf(row) instanceof Long count ? Math.toIntExact(count) : 0,
                    dataOf(row) instanceof byte[] json ? new String(json, StandardCharsets.UTF_8) : null,
                    row.getUUID(5),
                    nested(row, 6, NO_TERMS),
                    nested(row, 7, NO_CLAIM),
                    nested(row, 8, new Tuple()));
        }
    }

    /** A row of the pending queue. */
    public record Pending(long scheduledTime, String jobId) {}

    /** A row of the change feed. */
    public record Change(Versionstamp sequence, String jobId, JobState state) {}

    /**
     * Reads them.
     *
     * @param tx sees them all as of one moment
     * @param prefix where the instance keeps its jobs
     * @param type the name of the type
     * @return the rows
     */
    public static CompletableFuture<TypeRows> read(ReadTransaction tx, Subspace prefix, String type) {
        return new Reader(prefix, type).read(tx);
    }

    /** Reads them again and again, and of the feed only what is new. */
    public static final class Reader {
        private final Subspace root;
        private final Subspace feed;
        private final DecodedRows<Consumer<TypeRows>> upper;
        private final DecodedRows<Consumer<TypeRows>> lower;
        private final Map<String, JobState> lastStates = new HashMap<>();
        private byte[] unread;

        /**
         * A reader that has read nothing.
         *
         * @param prefix where the instance keeps its jobs
         * @param type the name of the type
         */
        public Reader(Subspace prefix, String type) {
            root = prefix.subspace(Tuple.from("couch_jobs"));
            feed = root.subspace(Tuple.from("feed", type));
            unread = feed.range().begin;
            upper = new DecodedRows<>(row -> decode(root, type, row));
            lower = new DecodedRows<>(row -> decode(root, type, row));
        }

        /**
         * Reads them.
         *
         * @param tx sees them all as of one moment
         * @return the rows
         */
        public CompletableFuture<TypeRows> read(ReadTransaction tx) {
            return read(tx, rows -> rows);
        }

        /**
         * Reads them, but for some.
         *
         * @param tx sees them all as of one moment
         * @param choice keeps those that are to be looked at, and drops others
         * @return the rows
         */
        public CompletableFuture<TypeRows> read(ReadTransaction tx, UnaryOperator<List<KeyValue>> choice) {
            CompletableFuture<List<KeyValue>> head = tx.snapshot()
                    .getRange(root.range().begin, feed.range().begin)
                    .asList();
            return head.thenCombine(
                    tx.snapshot().getRange(unread, root.range().end).asList(),
                    (above, below) -> rows(choice.apply(above), choice.apply(below)));
        }

        private TypeRows rows(List<KeyValue> above, List<KeyValue> below) {
            TypeRows rows = new TypeRows(
                    new TreeMap<>(),
                    new HashSet<>(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    new ArrayList<>(),
                    lastStates,
                    new LinkRows(),
                    new IndexRows());
            upper.of(above).forEach(row -> row.accept(rows));
            lower.of(below).forEach(row -> row.accept(rows));
            if (!rows.feed.isEmpty()) {
                Change last = rows.feed.get(rows.feed.size() - 1);
                unread = ByteArrayUtil.strinc(feed.pack(last.sequence()));
            }
            return rows;
        }
    }

    /** {@return what adds a row to others; nothing if it is not one of the type} */
    private static Consumer<TypeRows> decode(Subspace root, String type, KeyValue row) {
        Tuple key = root.unpack(row.getKey());
        boolean isOfType = key.size() > 1 && key.get(1).equals(type);
        return isOfType && (key.size() > 2 || key.getString(0).equals("statuses"))
                ? decode(key, row.getValue())
                : rows -> {};
    }

    private static Consumer<TypeRows> decode(Tuple key, byte[] value) {
        switch (key.getString(0)) {
            case "data" -> {
                String jobId = key.getString(2);
                Data row = Data.decode(Tuple.fromBytes(value));
                return rows -> rows.data.put(jobId, row);
            }
            case "pending" -> {
                Pending row = new Pending(key.getLong(2), key.getString(3));
                return rows -> rows.pending.add(row);
            }
            case "activity" -> {
                Versionstamp sequence = key.getVersionstamp(2);
                Set<String> jobIds =
                        Tuple.fromBytes(value).stream().map(String.class::cast).collect(Collectors.toSet());
                return rows -> rows.activity.put(sequence, jobIds);
            }
            case "payload" -> {
                String jobId = key.getString(2);
                return rows -> rows.chunks.merge(jobId, 1, Integer::sum);
            }
            case "feed" -> {
                List<Change> changes = changes(key.getVersionstamp(2), Tuple.fromBytes(value));
                return rows -> changes.forEach(rows::add);
            }
            case "waits_for", "dependents", "releasing", "expected" -> {
                return rows -> rows.linkRows.add(key);
            }
            case "running",
                    "counts",
                    "ranked",
                    "attempts",
                    "dead",
                    "log",
                    "tags",
                    "limited",
                    "statuses",
                    "status_counts" -> {
                Consumer<IndexRows> row = IndexRows.decode(key, value);
                return rows -> row.accept(rows.indexes);
            }
            case "result",
                    "retire",
                    "archiving",
                    "quarantine",
                    "index_check",
                    "idle",
                    "unique",
                    "limits",
                    "slots",
                    "slot_requests",
                    "paused_keys",
                    "rated_keys",
                    "key_rates",
                    "rate",
                    "token_waits",
                    "turns",
                    "turn_requests",
                    "in_turn",
                    "weights",
                    "sequences",
                    "sequence_queue" -> {
                return rows -> {};
            }
            default -> throw new AssertionError("An unknown row: " + key);
        }
    }

    private static List<Change> changes(Versionstamp sequence, Tuple entry) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i + 1 < entry.size(); i += 2) {
            JobState state = JobState.valueOf(entry.getString(i + 1).toUpperCase(Locale.ROOT));
            changes.add(new Change(sequence, entry.getString(i), state));
        }
        return changes;
    }

    private void add(Change change) {
        feed.add(change);
        lastStates.put(change.jobId(), change.state());
    }

    /** {@return what the job became, change by change} */
    public List<JobState> changesOf(String jobId) {
        return feed.stream()
                .filter(change -> change.jobId().equals(jobId))
                .map(Change::state)
                .toList();
    }

    /**
     * Whether the other rows say of every job what its main row says. An activity row without its job is no
     * contradiction: an update and a finish in one transaction leave one behind, which the monitor clears away.
     *
     * @return what contradicts what; empty if all is well
     */
    public List<String> contradictions() {
        return contradictions(List.of());
    }

    /**
     * The same where some jobs have vanished and are counted all the same.
     *
     * @param stillCounted for each of them, what it is counted as
     * @return what contradicts what; empty if all is well
     */
    public List<String> contradictions(List<Long> stillCounted) {
        List<String> found = new ArrayList<>();
        Set<Pending> expected = new HashSet<>();
        data.forEach((jobId, row) -> {
            if (row.state() == JobState.PENDING
                    && row.priority() == 0
                    && row.turnKey() == null
                    && !row.isLaterForItsLimitKey()
                    && !indexes.isLimited(jobId)
                    && !row.blocked()) {
                expected.add(new Pending(row.scheduledTime(), jobId));
            }
            if (row.state() == JobState.RUNNING
                    && (row.sequence() == null
                            || !activity.getOrDefault(row.sequence(), Set.of()).contains(jobId))) {
                found.add(jobId + " runs and has no activity row: " + row);
            }
            if (row.chunks() != chunks.getOrDefault(jobId, 0)) {
                found.add(jobId + " has " + chunks.get(jobId) + " payload rows: " + row);
            }
            JobState last = lastStates.get(jobId);
            if (last != null && last != row.state()) {
                found.add(
                        jobId + " is not what the feed says last, " + last + " after " + changesOf(jobId) + ": " + row);
            }
        });
        if (!pending.equals(expected)) {
            found.add("the queue is " + pending + ", the table says " + expected);
        }
        found.addAll(linkRows.contradictions(data));
        chunks.keySet().stream()
                .filter(jobId -> !data.containsKey(jobId))
                .forEach(jobId -> found.add(jobId + " has a payload and no row"));
        found.addAll(indexes.contradictions(data, stillCounted));
        return found;
    }
}
