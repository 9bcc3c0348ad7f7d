package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The {@code tags} rows: the jobs of a type with a tag, by id, for as long as they are kept. */
public final class TagIndex {
    private static final byte[] EMPTY = new byte[0];

    private TagIndex() {}

    /** Moves the rows of a job. */
    static void replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        List<String> were = before == null ? List.of() : before.options().keys().tags();
        List<String> are = after == null ? List.of() : after.options().keys().tags();
        if (were.equals(are)) {
            return;
        }
        were.stream().filter(tag -> !are.contains(tag)).forEach(tag -> tx.clear(key(ref, tag)));
        are.stream().filter(tag -> !were.contains(tag)).forEach(tag -> tx.set(key(ref, tag), EMPTY));
    }

    private static byte[] key(JobRef ref, String tag) {
        return ref.keys().tags().pack(Tuple.from(tag, ref.id()));
    }

    /** {@return the ids of jobs with a tag behind an id, in order} */
    public static CompletableFuture<List<String>> read(
            ReadTransaction tx, TypeKeys keys, String tag, String after, int limit) {
        Range all = keys.tags().get(tag).range();
        Range range = new Range(ByteArrayUtil.keyAfter(keys.tags().pack(Tuple.from(tag, after))), all.end);
        return Quarantine.range(
                tx,
                keys,
                range,
                limit,
                false,
                row -> keys.tags().unpack(row.getKey()).getString(1));
    }
}
