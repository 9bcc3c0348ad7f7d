package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The change feed: every commit that changes a job appends {@code (JobId, state)} under its versionstamp, per type.
 *
 * <p>Whoever remembers a sequence can read on from it and misses nothing. The feed is trimmed behind its readers, and
 * says up to where, so that a reader who was away for too long knows that it has to look at the jobs themselves.
 *
 * <p>An entry may also carry a token of the verb that wrote it. A verb whose commit has an unknown result
 * (FoundationDB's error 1021) looks for its token before it tries again, and so never acts twice.
 */
public final class ChangeFeed {
    private ChangeFeed() {}

    static void append(Transaction tx, JobRef ref, int userVersion, JobState state, OptionalLong token) {
        Tuple entry = Tuple.from(ref.id(), state.name().toLowerCase(Locale.ROOT));
        if (token.isPresent()) {
            entry = entry.add(token.getAsLong());
        }
        TypeKeys keys = ref.keys();
        Stamps.setStampedKey(tx, keys.feedPrefix(), userVersion, entry.pack());
        Stamps.touch(tx, keys.watchesActivity(), userVersion);
    }

    /** {@return the entries that follow, oldest first} */
    public static CompletableFuture<List<FeedEntry>> read(
            ReadTransaction tx, TypeKeys keys, Versionstamp after, int limit) {
        return tx.snapshot()
                .getRange(keys.feedAfter(after), limit)
                .asList()
                .thenApply(rows -> rows.stream().map(row -> decode(keys, row)).toList());
    }

    /** {@return the last entry that has been trimmed away, or null if none ever was} */
    public static CompletableFuture<@Nullable Versionstamp> trimmedUpTo(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .get(keys.feedTrimmed())
                .thenApply(
                        value -> value == null ? null : Tuple.fromBytes(value).getVersionstamp(0));
    }

    /**
     * Removes the entries up to a sequence, if there are any, and tells which was the last of them: a reader who has come
     * that far has missed nothing, however long ago that was.
     */
    public static CompletableFuture<Void> trim(Transaction tx, TypeKeys keys, Versionstamp upTo) {
        return tx.snapshot().getRange(keys.feedUpTo(upTo), 1, true).asList().thenAccept(rows -> {
            if (!rows.isEmpty()) {
                Versionstamp last = keys.sequenceOfFeed(rows.get(0).getKey());
                tx.clear(keys.feedUpTo(upTo));
                // The largest wins, in whatever order several monitors commit.
                tx.mutate(
                        MutationType.BYTE_MAX,
                        keys.feedTrimmed(),
                        Tuple.from(last).pack());
            }
        });
    }

    private static FeedEntry decode(TypeKeys keys, KeyValue row) {
        Tuple entry = Tuple.fromBytes(row.getValue());
        return new FeedEntry(
                keys.sequenceOfFeed(row.getKey()),
                entry.getString(0),
                JobState.valueOf(entry.getString(1).toUpperCase(Locale.ROOT)));
    }
}
