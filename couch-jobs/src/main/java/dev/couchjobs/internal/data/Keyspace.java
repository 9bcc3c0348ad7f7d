package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.loop.LogText;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The top-level subspace {@code "couch_jobs"} of RFC 007 under the user's prefix. */
public final class Keyspace {
    /** The longest job id. It leaves room in a key of 10,000 bytes for the user's prefix. */
    public static final int JOB_ID_BYTES_MAX = 1_000;

    private static final int NAME_BYTES_MAX = 500;
    private static final int WORKER_NAME_CHARS_MAX = 200;
    private static final char ASCII_MAX = 0x7F;

    private final Subspace root;
    private final ConcurrentMap<String, TypeKeys> types = new ConcurrentHashMap<>();

    public Keyspace(Subspace prefix) {
        root = prefix.subspace(Tuple.from("couch_jobs"));
    }

    /** {@return the keys of a type} */
    public TypeKeys type(String typeName) {
        return types.computeIfAbsent(typeName, name -> new TypeKeys(root, name));
    }

    /** {@return the reference to a job} */
    public JobRef job(String typeName, String jobId) {
        checkJobId(jobId);
        return new JobRef(type(typeName), jobId);
    }

    /** Refuses an invalid name of a type. */
    public static void checkTypeName(String name) {
        checkName("A job type", name);
    }

    /** Refuses an invalid name of a schedule, which is the beginning of the ids of its jobs. */
    public static void checkScheduleName(String name) {
        checkName("A schedule", name);
        if (name.indexOf(0) >= 0) {
            throw new IllegalArgumentException("A schedule needs a name without zeros: choose a short, stable name.");
        }
    }

    /** Refuses an invalid name of a worker. The name of an instance, which has the same limit, is the default. */
    public static void checkWorkerName(String name) {
        if (name.isEmpty() || name.length() > WORKER_NAME_CHARS_MAX || !isWellFormed(name)) {
            throw new IllegalArgumentException("A worker needs a name of 1 to " + WORKER_NAME_CHARS_MAX
                    + " characters without half of a surrogate pair; this one has " + name.length()
                    + ": choose a short one, such as that of a deployment.");
        }
    }

    /** Refuses an invalid limit key. */
    public static void checkLimitKey(String key) {
        checkText("A limit key has", key, "use a short, stable key, such as the id of a tenant.");
    }

    /** Refuses an invalid turn key. */
    public static void checkTurnKey(String key) {
        checkText("A turn key has", key, "use a short, stable key, such as the id of a tenant.");
    }

    /** Refuses an invalid key of a sequence. */
    public static void checkSequence(String key) {
        checkText("The key of a sequence has", key, "use a short, stable key, such as the id of an order.");
    }

    /** Refuses an invalid tag. */
    public static void checkTag(String tag) {
        checkText("A tag has", tag, "use a short, stable text, such as the name of a feature.");
    }

    /** Refuses an invalid name of a batch. */
    public static void checkBatchName(String name) {
        checkName("A batch", name);
    }

    /** Refuses an invalid unique key. */
    public static void checkUniqueKey(String key) {
        checkText("A unique key has", key, "use a short, stable key, such as the id of what the job is about.");
    }

    private static void checkName(String owner, String name) {
        checkText(owner + " needs a name of", name, "choose a short, stable name.");
    }

    private static void checkText(String rule, String text, String advice) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > NAME_BYTES_MAX || !isWellFormed(text)) {
            throw new IllegalArgumentException(rule + " 1 to " + NAME_BYTES_MAX
                    + " bytes in UTF-8 without half of a surrogate pair; this one has " + bytes + ": " + advice);
        }
    }

    /** {@return whether a text can be stored unchanged} Half of a surrogate pair cannot. */
    public static boolean isWellFormed(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    /**
     * Refuses a new id, name or key that a path would not have as it is, or that could forge a line of a log. Rows from
     * before may have one, and are read.
     *
     * @param what what it is, with an article
     */
    public static void checkNew(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (LogText.isControl(each)) {
                throw new IllegalArgumentException(
                        "%s has no control characters; this one has U+%04X at index %d: ".formatted(what, (int) each, i)
                                + "write bytes as text first, such as in Base64.");
            }
        }
        if (text.equals(".") || text.equals("..")) {
            throw new IllegalArgumentException(
                    what + " is not " + text + ", which clients leave out of a path: add another character.");
        }
    }

    /** Refuses an invalid job id. */
    public static void checkJobId(String jobId) {
        if (isPlain(Objects.requireNonNull(jobId, "jobId"))) {
            return;
        }
        // Tuples write a zero as two bytes, and the number of ids in a shared row depends on their length.
        int bytes = jobId.getBytes(StandardCharsets.UTF_8).length + zeros(jobId);
        if (bytes == 0 || bytes > JOB_ID_BYTES_MAX) {
            throw new IllegalArgumentException("A job id has 1 to " + JOB_ID_BYTES_MAX
                    + " bytes in UTF-8, of which a zero counts twice; this one has " + bytes
                    + ": use a short id and put the rest into the job's data.");
        }
        if (!isWellFormed(jobId)) {
            throw new IllegalArgumentException("A job id is well-formed text; this one has half of a surrogate pair in"
                    + " it: write bytes as text first, for example in Base64.");
        }
    }

    /** {@return the job id at an index of a key} */
    public static String jobId(Tuple path, int index) {
        String jobId = path.getString(index);
        checkJobId(jobId);
        return jobId;
    }

    /** {@return the name of a type at an index of a key} */
    public static String typeName(Tuple path, int index) {
        String name = path.getString(index);
        checkTypeName(name);
        return name;
    }

    /** A fast path for nearly all ids: the full check is slower than everything else that is done with an id. */
    private static boolean isPlain(String jobId) {
        for (int i = 0; i < jobId.length(); i++) {
            if (jobId.charAt(i) > ASCII_MAX || jobId.charAt(i) == 0) {
                return false;
            }
        }
        return !jobId.isEmpty() && jobId.length() <= JOB_ID_BYTES_MAX;
    }

    private static int zeros(String jobId) {
        return (int) jobId.chars().filter(each -> each == 0).count();
    }

    /** {@return the range of all rows} */
    public Range all() {
        return root.range();
    }

    /** {@return the key of the layout row} */
    public byte[] layout() {
        return root.pack("layout");
    }

    /** {@return a key that no row has} A check of health clears it, because that has to be committed. */
    public byte[] health() {
        return root.pack("health");
    }

    /** {@return the rows of the schedules, by name} */
    public Subspace schedules() {
        return root.subspace(Tuple.from("schedules"));
    }

    /** {@return the chunks of the data of a schedule's jobs} */
    public Subspace scheduleData(String name) {
        return root.subspace(Tuple.from("schedule_data", name));
    }

    /** {@return the rows of the batches, by name} */
    public Subspace batches() {
        return root.subspace(Tuple.from("batches"));
    }

    /** {@return the counters of a batch} */
    public Subspace batchCounts(String batch) {
        return root.subspace(Tuple.from("batch_counts", batch));
    }

    /** {@return the members of a batch that have not ended, by type and id} */
    public Subspace batchMembers(String batch) {
        return root.subspace(Tuple.from("batch_members", batch));
    }

    /** {@return the rows of the workers, by name and id} */
    Subspace workers() {
        return root.subspace(Tuple.from("workers"));
    }

    /** {@return the rows of the orders for workers, by name} */
    Subspace workerOrders() {
        return root.subspace(Tuple.from("worker_orders"));
    }

    /** {@return the notes of jobs with many jobs before them, by type} */
    Subspace descents() {
        return root.subspace(Tuple.from("descents"));
    }

    /** {@return the keys of the graphs} */
    public GraphKeys graphs() {
        return new GraphKeys(root);
    }

    /** {@return the key of a clock sample} */
    byte[] clock(int row) {
        return clocksSubspace().pack(row);
    }

    int clockRow(byte[] key) {
        return Math.toIntExact(clocksSubspace().unpack(key).getLong(0));
    }

    /** {@return the range of the clock samples} */
    Range clocks() {
        return clocksSubspace().range();
    }

    private Subspace clocksSubspace() {
        return root.subspace(Tuple.from("clocks"));
    }

    /**
     * {@return the range of the release notices of all types}
     */
    public Range releasing() {
        return releasingSubspace().range();
    }

    public String typeOfReleasing(byte[] key) {
        return typeName(releasingSubspace().unpack(key), 0);
    }

    private Subspace releasingSubspace() {
        return root.subspace(Tuple.from("releasing"));
    }

    /** {@return the key that every commit that leaves release notices changes} */
    public byte[] watchesReleasing() {
        return watchesReleasing(root);
    }

    static byte[] watchesReleasing(Subspace root) {
        return root.pack("watches_releasing");
    }

    /** {@return the range of the types in use after a type, or of all} */
    Range inUse(Optional<String> after) {
        Range all = inUseSubspace(root).range();
        return new Range(
                after.map(type -> inUseSubspace(root).get(type).range().end).orElse(all.begin), all.end);
    }

    String typeInUse(byte[] key) {
        return typeName(inUseSubspace(root).unpack(key), 0);
    }

    static Subspace inUseSubspace(Subspace root) {
        return root.subspace(Tuple.from("in_use"));
    }

    /** {@return the key that every commit that brings a type into use changes} */
    public byte[] watchesInUse() {
        return watchesInUse(root);
    }

    static byte[] watchesInUse(Subspace root) {
        return root.pack("watches_in_use");
    }

    /** {@return the key that changes with what all processes at rest notice at once} */
    public byte[] watchesSettings() {
        return watchesSettings(root);
    }

    static byte[] watchesSettings(Subspace root) {
        return root.pack("watches_settings");
    }

    /** {@return the subspace of the feeds of all types} */
    Subspace feeds() {
        return root.subspace(Tuple.from("feed"));
    }

    /** {@return the subspace of the rows in quarantine of all types} */
    Subspace quarantines() {
        return root.subspace(Tuple.from("quarantine"));
    }

    /** {@return the subspace of the last changes of all types} */
    Subspace lastChanges() {
        return root.subspace(Tuple.from("watches_activity"));
    }

    /** {@return the subspace of the last trimmed changes of all types} */
    Subspace trimmedFeeds() {
        return root.subspace(Tuple.from("feed_trimmed"));
    }

    /** {@return the subspace of the pending queues of all types} */
    Subspace pendingQueues() {
        return root.subspace(Tuple.from("pending"));
    }

    /** {@return the subspace of the ranked queues of all types} */
    Subspace rankedQueues() {
        return root.subspace(Tuple.from("ranked"));
    }

    /** {@return the subspace of the limit keys of all types whose jobs wait for tokens} */
    Subspace tokenWaits() {
        return tokenWaits(root);
    }

    static Subspace tokenWaits(Subspace root) {
        return root.subspace(Tuple.from("token_waits"));
    }

    /** {@return the subspace of the activity rows of all types} */
    Subspace activities() {
        return root.subspace(Tuple.from("activity"));
    }

    /** {@return the range of the timeouts of all types, which is also the list of the types} */
    public Range activityTimeouts() {
        return timeouts().range();
    }

    /** {@return the type name in the key of a timeout} */
    public String typeName(byte[] activityTimeoutKey) {
        return timeouts().unpack(activityTimeoutKey).getString(0);
    }

    private Subspace timeouts() {
        return root.subspace(Tuple.from("activity_timeout"));
    }
}
