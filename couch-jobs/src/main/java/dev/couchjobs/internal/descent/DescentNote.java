package dev.couchjobs.internal.descent;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TupleWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The row of a type under {@code ("descents")}: the last job that was added with so many before it that it may be one
 * of a line without end. No addition reads the row, so none conflicts with another.
 *
 * @param type the type
 * @param jobId the job
 * @param descent how many jobs one after the other led to it
 */
public record DescentNote(String type, String jobId, int descent) {
    private static final int NOTES_MAX = 100;
    private static final long VERSIONS_PER_MILLI = 1_000;

    /** Writes the notes of jobs that are added and need one. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            if (!change.isRestored()) {
                write(changes.tx(), change.ref(), changes.userVersion(), change.before(), change.after());
            }
        }
    }

    private static void write(
            Transaction tx, JobRef ref, int userVersion, @Nullable JobRow before, @Nullable JobRow after) {
        int descent = after == null ? 0 : after.options().descent();
        if (descent >= Descent.NOTED_FROM && (before == null || before.options().descent() != descent)) {
            byte[] operand = new TupleWriter(Long.SIZE)
                    .addPlaceholder(userVersion)
                    .add(descent)
                    .add(ref.id())
                    .toOperand(0);
            tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, ref.keys().row("descents"), operand);
        }
    }

    /** {@return the notes of the last hours, of the first types that have one} */
    public static CompletableFuture<List<DescentNote>> since(
            ReadTransaction tx, Keyspace keyspace, long version, Duration age) {
        long oldest = version - age.toMillis() * VERSIONS_PER_MILLI;
        return tx.getRange(keyspace.table("descents").range(), NOTES_MAX)
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> Quarantine.readableOrLogged(row, each -> decode(keyspace, each, oldest)))
                        .flatMap(Optional::stream)
                        .flatMap(Optional::stream)
                        .toList());
    }

    private static Optional<DescentNote> decode(Keyspace keyspace, KeyValue row, long oldest) {
        Tuple value = Tuple.fromBytes(row.getValue());
        long version = ByteBuffer.wrap(value.getVersionstamp(0).getBytes()).getLong();
        String type = Keyspace.typeName(keyspace.table("descents").unpack(row.getKey()), 0);
        return version < oldest
                ? Optional.empty()
                : Optional.of(new DescentNote(type, value.getString(2), Math.toIntExact(value.getLong(1))));
    }
}
