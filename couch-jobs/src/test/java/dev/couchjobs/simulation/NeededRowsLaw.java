package dev.couchjobs.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * At rest, no row stands that no job, rule, schedule, batch, group or log needs. The law knows all subspaces: a row in
 * another one breaks it.
 *
 * <p>The end of the last job is not yet the rest. The processes have looked again by then: a worker that has room again
 * claims, and finds that the keys of cancelled jobs have no turn any more.
 */
final class NeededRowsLaw {
    private static final Subspace ROOT = JobsSimulation.PREFIX.subspace(Tuple.from("couch_jobs"));

    private static final int TOLD_MAX = 10;

    /** Says why a row is not needed. */
    private interface Rule {
        /** {@return the reason, or null if it is needed} The value of a row that is no tuple is empty. */
        @Nullable String objection(Rows rows, Tuple key, Tuple value);
    }

    /** Rows that stand for themselves: settings, counters, feeds, watched keys, leases and notes of processes. */
    private static final Rule ITSELF = (rows, key, value) -> null;

    private static final Map<String, Rule> RULES = new HashMap<>();

    static {
        for (String name : List.of(
                "activity_timeout",
                "archiving",
                "batches",
                "clocks",
                "counts",
                "data",
                "descents",
                "feed",
                "feed_trimmed",
                "idle",
                "in_use",
                "layout",
                "limits",
                "quarantine",
                "rate",
                "retention",
                "rules",
                "running",
                "schedules",
                "status_counts",
                "watches_activity",
                "watches_ends",
                "watches_in_use",
                "watches_lost",
                "watches_pending",
                "watches_releasing",
                "watches_settings",
                "weights",
                "worker_orders",
                "workers")) {
            RULES.put(name, ITSELF);
        }
        // What a transaction leaves to a process that looks later, which clears it.
        for (String name : List.of("activity", "releasing", "retire")) {
            RULES.put(name, ITSELF);
        }
        for (String name : List.of("attempts", "log", "payload", "result", "waits_for")) {
            RULES.put(name, ofJob(1, 2));
        }
        RULES.put("pending", ofJob(1, 3));
        RULES.put("dead", ofJob(1, 3));
        RULES.put("tags", ofJob(1, 3));
        RULES.put("limited", ofJob(1, 5));
        RULES.put("ranked", (rows, key, value) -> rows.requireJob(key.get(1), key.get(key.size() - 1)));
        RULES.put("statuses", (rows, key, value) -> key.size() < 5 ? null : rows.requireJob(key.get(1), key.get(4)));
        for (String name : List.of("unique", "sequences", "sequence_queue")) {
            RULES.put(name, (rows, key, value) -> value.isEmpty() ? null : rows.requireJob(key.get(1), value.get(0)));
        }
        RULES.put("index_check", (rows, key, value) -> "the check of the indexes has not ended");
        RULES.put("dependents", ofJob(4, 5));
        RULES.put("expected", NeededRowsLaw::expected);
        RULES.put("graph", NeededRowsLaw::graph);
        RULES.put("batch_counts", (rows, key, value) -> rows.require(Tuple.from("batches", key.get(1))));
        RULES.put("batch_members", ofJob(2, 3));
        RULES.put("schedule_data", (rows, key, value) -> rows.require(Tuple.from("schedules", key.get(1))));
        RULES.put("paused_keys", NeededRowsLaw::ofLimit);
        RULES.put("rated_keys", NeededRowsLaw::ofLimit);
        RULES.put("key_rates", (rows, key, value) -> rows.require(Tuple.from("rated_keys", key.get(1), key.get(2))));
        RULES.put("token_waits", (rows, key, value) -> rows.require(Tuple.from("slots", key.get(1), key.get(3))));
        RULES.put("slots", (rows, key, value) -> rows.requireUnended(key.get(1)));
        RULES.put("slot_requests", (rows, key, value) -> rows.requireUnended(key.get(1)));
        RULES.put("turns", (rows, key, value) -> rows.require(Tuple.from("in_turn", key.get(1), key.get(3))));
        RULES.put("in_turn", (rows, key, value) -> rows.requireUnended(key.get(1)));
        RULES.put("turn_requests", (rows, key, value) -> rows.requireUnended(key.get(1)));
    }

    private static Rule ofJob(int type, int id) {
        return (rows, key, value) -> rows.requireJob(key.get(type), key.get(id));
    }

    private static @Nullable String ofLimit(Rows rows, Tuple key, Tuple value) {
        return rows.require(Tuple.from("limits", key.get(1), key.get(2)));
    }

    /** The group of a job that is not there, which others wait for. */
    private static @Nullable String expected(Rows rows, Tuple key, Tuple value) {
        if (rows.isJob(key.get(1), key.get(2))) {
            return "the job is there";
        }
        if (value.isEmpty()) {
            return null;
        }
        Tuple group = Tuple.from("dependents", key.get(1), key.get(2), value.get(0));
        return rows.isAnyUnder(group) ? null : "nobody waits for the job";
    }

    /** A job or a graph in a graph, a job that is expected there, or the graph that a graph has joined. */
    private static @Nullable String graph(Rows rows, Tuple key, Tuple value) {
        if (key.getLong(2) == 3) {
            boolean hasMembers = rows.isAnyUnder(Tuple.from("graph", key.get(1), 0L))
                    || rows.isAnyUnder(Tuple.from("graph", key.get(1), 1L))
                    || rows.isAnyUnder(Tuple.from("graph", key.get(1), 2L));
            return hasMembers ? null : "the graph has no members";
        }
        if (key.size() == 4) {
            return rows.require(Tuple.from("graph", key.get(3), 3L));
        }
        return key.getLong(2) == 2
                ? rows.require(Tuple.from("expected", key.get(3), key.get(4)))
                : rows.requireJob(key.get(3), key.get(4));
    }

    private NeededRowsLaw() {}

    /** All rows of the instance by their keys. */
    private record Rows(TreeMap<Tuple, byte[]> all) {
        boolean isJob(Object type, Object id) {
            return all.containsKey(Tuple.from("data", type, id));
        }

        @Nullable String requireJob(Object type, @Nullable Object id) {
            return id != null && isJob(type, id) ? null : "there is no job " + type + "/" + id;
        }

        @Nullable String require(Tuple key) {
            return all.containsKey(key) ? null : "there is no row " + key;
        }

        boolean isAnyUnder(Tuple above) {
            Tuple next = all.higherKey(above);
            return next != null
                    && next.size() > above.size()
                    && next.getItems().subList(0, above.size()).equals(above.getItems());
        }

        /** Pending, running, or not to be read. */
        @Nullable String requireUnended(Object type) {
            boolean isThere = all.tailMap(Tuple.from("data", type)).entrySet().stream()
                    .takeWhile(row -> row.getKey().size() == 3
                            && row.getKey().get(0).equals("data")
                            && row.getKey().get(1).equals(type))
                    .anyMatch(row -> !isEnded(row.getValue()));
            return isThere ? null : "all jobs of the type have ended";
        }

        private static boolean isEnded(byte[] row) {
            return decoded(row).filter(job -> job.get(0) == null).isPresent();
        }
    }

    private static Optional<Tuple> decoded(byte[] value) {
        try {
            return Optional.of(Tuple.fromBytes(value));
        } catch (IllegalArgumentException e) { // no tuple: a counter, or damage
            return Optional.empty();
        }
    }

    /** {@return the first rows that nothing needs, with the reason} */
    static List<String> violations(ReadTransaction tx) {
        Rows rows = new Rows(new TreeMap<>());
        for (KeyValue row :
                Objects.requireNonNull(tx.getRange(ROOT.range()).asList().getNow(null), "answered at once")) {
            rows.all.put(ROOT.unpack(row.getKey()), row.getValue());
        }
        List<String> found = new ArrayList<>();
        rows.all.forEach((key, bytes) -> {
            String objection = objection(rows, key, bytes);
            if (objection != null && found.size() < TOLD_MAX) {
                found.add(key + " stands, and " + objection);
            }
        });
        return found;
    }

    private static @Nullable String objection(Rows rows, Tuple key, byte[] bytes) {
        Rule rule = RULES.get(key.getString(0));
        return rule == null
                ? "the law does not know this subspace"
                : rule.objection(rows, key, decoded(bytes).orElseGet(Tuple::new));
    }
}
