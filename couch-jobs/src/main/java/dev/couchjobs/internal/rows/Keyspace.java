package dev.couchjobs.internal.rows;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.loop.LogText;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** The top-level subspace {@code "couch_jobs"} of RFC 007 under the user's prefix. */
public final class Keyspace {
    /** The longest job id. It leaves room in a key of 10,000 bytes for the user's prefix. */
    public static final int JOB_ID_BYTES_MAX = 1_000;

    private static final int NAME_BYTES_MAX = 500;
    private static final int WORKER_NAME_CHARS_MAX = 200;
    private static final char ASCII_MAX = 0x7F;

    private final Subspace root;
    private final ConcurrentMap<String, TypeKeys> types = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Subspace> tables = new ConcurrentHashMap<>();
    private final ConcurrentMap<Class<?>, Object> derived = new ConcurrentHashMap<>();

    public Keyspace(Subspace prefix) {
        root = prefix.subspace(Tuple.from("couch_jobs"));
    }

    /** {@return the keys of a type} */
    public TypeKeys type(String typeName) {
        return types.computeIfAbsent(typeName, name -> new TypeKeys(this, root, name));
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

    /** {@return the rows of a table: those of all types, if the table is one of types} */
    public Subspace table(String table) {
        Subspace made = tables.get(table);
        return made == null ? tables.computeIfAbsent(table, name -> root.subspace(Tuple.from(name))) : made;
    }

    /** {@return the key of a row that has no others beside it} */
    public byte[] row(String name) {
        return root.pack(name);
    }

    /** {@return what a feature derives from the keys, made by the first call} */
    public <T> T derived(Class<T> kind, Function<Keyspace, T> maker) {
        Object made = derived.get(kind);
        return kind.cast(made == null ? derived.computeIfAbsent(kind, none -> maker.apply(this)) : made);
    }
}
