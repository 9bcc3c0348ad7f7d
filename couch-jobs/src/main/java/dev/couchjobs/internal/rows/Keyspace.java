package dev.couchjobs.internal.rows;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** The top-level subspace {@code "couch_jobs"} of RFC 007 under the user's prefix. */
public final class Keyspace {
    /** The longest job id. It leaves room in a key of 10,000 bytes for the user's prefix. */
    public static final int JOB_ID_BYTES_MAX = 1_000;

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

    /** {@return whether a text can be stored unchanged} Half of a surrogate pair cannot. */
    public static boolean isWellFormed(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
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
        return Name.TYPE.known(path.getString(index));
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
