package dev.couchjobs.internal.deadletters;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.JobIndex;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.IndexKey;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The {@code dead} rows: jobs that have failed for good, in the order of their ends. */
public final class DeadLetterIndex {
    /** Jobs that have failed for good, by the times of their ends. */
    public static final JobIndex ROWS = new JobIndex() {
        @Override
        public Range range(TypeKeys keys) {
            return DeadLetterKeys.of(keys).dead().range();
        }

        @Override
        public Statement decode(TypeKeys keys, KeyValue row) {
            return says(keys, row);
        }
    };

    private DeadLetterIndex() {}

    /** Moves the rows of jobs. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            JobRef ref = change.ref();
            IndexKey.move(changes.tx(), key(ref, change.indexed()), key(ref, change.after()));
        }
    }

    /** {@return whether the row of a job is there, if it needs one} */
    public static CompletableFuture<Boolean> isThere(ReadTransaction tx, JobRef ref, JobRow job) {
        return IndexKey.isThere(tx, key(ref, job));
    }

    private static Optional<byte[]> key(JobRef ref, @Nullable JobRow row) {
        return row == null || row.state() != JobState.FINISHED || row.outcome() != Outcome.FAILED
                ? Optional.empty()
                : Optional.of(DeadLetterKeys.of(ref.keys()).dead(endedAt(row), ref.id()));
    }

    /**
     * A row of the index.
     *
     * @param endedAt when the job failed, in milliseconds since the epoch
     * @param jobId the job
     */
    public record Entry(long endedAt, String jobId) {
        /** {@return whether the job's own row agrees} */
        public boolean matches(JobRow job) {
            return job.state() == JobState.FINISHED
                    && job.outcome() == Outcome.FAILED
                    && DeadLetterIndex.endedAt(job) == endedAt;
        }

        /** {@return the key of the row} */
        public byte[] key(TypeKeys keys) {
            return DeadLetterKeys.of(keys).dead(endedAt, jobId);
        }

        /** {@return the continuation token of the page that ends with this row} */
        public String continuation() {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(Tuple.from(endedAt, jobId).pack());
        }

        /**
         * Decodes a continuation token.
         *
         * @throws IllegalArgumentException if the text is no continuation token
         */
        public static Entry ofContinuation(String text) {
            try {
                Tuple place = Tuple.fromBytes(Base64.getUrlDecoder().decode(text));
                return new Entry(place.getLong(0), place.getString(1));
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        "\"" + text + "\" is no place to go on from: pass what the page before said, unchanged.", e);
            }
        }
    }

    /** {@return the first rows after a row and up to a row, oldest first} */
    public static CompletableFuture<List<Entry>> oldestFirst(
            ReadTransaction tx, TypeKeys keys, Optional<Entry> after, Optional<Entry> upTo, int limit) {
        return read(tx, keys, DeadLetterKeys.of(keys).deadBetween(key(keys, after), key(keys, upTo)), limit, false);
    }

    /** {@return the last rows before a row, newest first} */
    public static CompletableFuture<List<Entry>> newestFirst(
            ReadTransaction tx, TypeKeys keys, Optional<Entry> before, int limit) {
        return read(tx, keys, DeadLetterKeys.of(keys).deadBefore(key(keys, before)), limit, true);
    }

    private static Optional<byte[]> key(TypeKeys keys, Optional<Entry> entry) {
        return entry.map(each -> each.key(keys));
    }

    private static CompletableFuture<List<Entry>> read(
            ReadTransaction tx, TypeKeys keys, Range range, int limit, boolean reverse) {
        return Quarantine.range(tx, keys, range, limit, reverse, row -> decode(keys, row));
    }

    private static Entry decode(TypeKeys keys, KeyValue row) {
        Tuple place = DeadLetterKeys.of(keys).dead().unpack(row.getKey());
        return new Entry(place.getLong(0), place.getString(1));
    }

    private static JobIndex.Statement says(TypeKeys keys, KeyValue row) {
        Entry entry = decode(keys, row);
        return new JobIndex.Statement(new JobRef(keys, entry.jobId()), entry::matches);
    }

    /** {@return when a job ended, in milliseconds since the epoch; 0 if that is unknown} */
    static long endedAt(JobRow job) {
        return job.claimEnd() == null ? 0 : job.claimEnd().at();
    }
}
