package dev.couchjobs.internal.tags;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.rows.IndexKey;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The {@code tags} rows: the jobs of a type with a tag, by id, for as long as they are kept. */
public final class TagIndex {
    private static final byte[] EMPTY = new byte[0];

    /** Jobs by tag. */
    public static final JobIndex ROWS = new JobIndex() {
        @Override
        public Range range(TypeKeys keys) {
            return rows(keys).range();
        }

        @Override
        public Statement decode(TypeKeys keys, KeyValue row) {
            return says(keys, row);
        }
    };

    private TagIndex() {}

    private static Subspace rows(TypeKeys keys) {
        return keys.table("tags");
    }

    /** Moves the rows of jobs. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            replace(changes.tx(), change.ref(), change.indexed(), change.after());
        }
    }

    private static void replace(Transaction tx, JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {
        List<String> were = before == null ? List.of() : before.options().keys().tags();
        List<String> are = after == null ? List.of() : after.options().keys().tags();
        if (were.equals(are)) {
            return;
        }
        were.stream().filter(tag -> !are.contains(tag)).forEach(tag -> tx.clear(key(ref, tag)));
        are.stream().filter(tag -> !were.contains(tag)).forEach(tag -> tx.set(key(ref, tag), EMPTY));
    }

    /** {@return whether all rows of a job are there} */
    public static CompletableFuture<Boolean> areThere(ReadTransaction tx, JobRef ref, JobRow job) {
        List<CompletableFuture<Boolean>> reads = job.options().keys().tags().stream()
                .map(tag -> IndexKey.isThere(tx, Optional.of(key(ref, tag))))
                .toList();
        return Futures.allOf(reads).thenApply(done -> reads.stream().allMatch(CompletableFuture::join));
    }

    private static byte[] key(JobRef ref, String tag) {
        return rows(ref.keys()).pack(Tuple.from(tag, ref.id()));
    }

    private static JobIndex.Statement says(TypeKeys keys, KeyValue row) {
        Tuple path = rows(keys).unpack(row.getKey());
        String tag = path.getString(0);
        return new JobIndex.Statement(new JobRef(keys, path.getString(1)), job -> hasTag(job, tag));
    }

    /**
     * A page of jobs with a tag.
     *
     * @param byId the jobs by id, in order
     * @param last the last id that was read, if more may follow
     * @param stale the keys of the rows that are left out: their jobs are gone, or do not have the tag
     */
    public record Tagged(Map<String, JobRow> byId, Optional<String> last, List<byte[]> stale) {}

    /** {@return the jobs with a tag behind an id} */
    public static CompletableFuture<Tagged> read(
            ReadTransaction tx, TypeKeys keys, String tag, String after, int limit) {
        return ids(tx, keys, tag, after, limit)
                .thenCompose(ids -> JobTable.find(tx, keys, ids).thenApply(found -> {
                    Map<String, JobRow> byId = new LinkedHashMap<>(found);
                    byId.values().removeIf(job -> !hasTag(job, tag));
                    List<byte[]> stale = ids.stream()
                            .filter(id -> !byId.containsKey(id))
                            .map(id -> key(new JobRef(keys, id), tag))
                            .toList();
                    Optional<String> last = ids.size() < limit ? Optional.empty() : Optional.of(ids.get(limit - 1));
                    return new Tagged(byId, last, stale);
                }));
    }

    private static boolean hasTag(JobRow job, String tag) {
        return job.options().keys().tags().contains(tag);
    }

    private static CompletableFuture<List<String>> ids(
            ReadTransaction tx, TypeKeys keys, String tag, String after, int limit) {
        Range all = rows(keys).get(tag).range();
        Range range = new Range(ByteArrayUtil.keyAfter(rows(keys).pack(Tuple.from(tag, after))), all.end);
        return Quarantine.range(
                tx,
                keys,
                range,
                limit,
                false,
                row -> rows(keys).unpack(row.getKey()).getString(1));
    }
}
