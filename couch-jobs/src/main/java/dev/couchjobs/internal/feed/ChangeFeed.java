package dev.couchjobs.internal.feed;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The change feed: every commit that changes a job appends {@code (JobId, state)} under its versionstamp, per type.
 *
 * <p>A reader that stores a sequence continues after it and misses no change. Old rows are trimmed, and the feed stores
 * the last trimmed sequence. A reader whose sequence is older reads the jobs themselves.
 *
 * <p>A row contains the change of one job, or of several that were changed together: an id and a state for each. It may
 * also contain a token of the verb that wrote it. After a commit with an unknown result (FoundationDB's error 1021) the
 * verb searches for its token before the next try, and so takes effect once.
 */
public final class ChangeFeed {
    private static final Map<JobState, String> TEXTS = Stream.of(JobState.values())
            .collect(Collectors.toMap(state -> state, state -> state.name().toLowerCase(Locale.ROOT)));
    private static final Map<String, JobState> STATES =
            TEXTS.entrySet().stream().collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));

    private static final int CHANGE_BYTES = 32;
    /** A row may have 80 entries, with ids of a thousand bytes. */
    private static final int ROWS_AT_ONCE = 100;

    private ChangeFeed() {}

    /** Appends changes, as one row. */
    public static void write(Changes changes) {
        List<Entry> entries = new ArrayList<>(changes.all().length);
        for (SavedChange change : changes.all()) {
            JobRow before = change.indexed();
            JobRow after = change.after();
            if (before == null || after == null || after.differsFrom(before)) {
                JobRow event = change.event();
                entries.add(new Entry(change.ref().id(), event == null ? JobState.NOT_FOUND : event.state()));
            }
        }
        if (!entries.isEmpty()) {
            append(changes.tx(), changes.keys(), changes.userVersion(), entries, changes.token());
        }
    }

    /** Appends an entry for a job whose log or progress changed, but not its row. */
    public static void append(JobStore jobs, JobRef ref, JobState state) {
        append(jobs.tx(), ref.keys(), jobs.userVersion(ref), List.of(new Entry(ref.id(), state)), jobs.token());
    }

    private static void append(
            Transaction tx, TypeKeys keys, int userVersion, List<Entry> changes, OptionalLong token) {
        TupleWriter row = new TupleWriter(CHANGE_BYTES * changes.size());
        for (Entry change : changes) {
            row.add(change.jobId()).add(Objects.requireNonNull(TEXTS.get(change.state())));
        }
        token.ifPresent(row::add);
        IncompleteVersionstamps.setStampedKey(tx, FeedKeys.of(keys).feedPrefix(), userVersion, row.toBytes());
        IncompleteVersionstamps.touch(tx, FeedKeys.of(keys).watchesActivity(), userVersion);
    }

    /** A job and its new state. */
    private record Entry(String jobId, JobState state) {}

    /** {@return the entries after a sequence, oldest first} */
    public static CompletableFuture<List<FeedEntry>> read(
            ReadTransaction tx, TypeKeys keys, Versionstamp after, int limit) {
        return Quarantine.range(tx, keys, FeedKeys.of(keys).feedAfter(after), limit, false, row -> decode(keys, row))
                .thenApply(rows -> rows.stream().flatMap(List::stream).toList());
    }

    /**
     * A part of the feed.
     *
     * @param entries the entries, oldest first; those of one row are not divided
     * @param hasMore whether more may follow
     */
    public record Part(List<FeedEntry> entries, boolean hasMore) {}

    /**
     * {@return the entries after a sequence} A part of more than one row has at most {@code limit} entries.
     *
     * @param entries those that were read before
     */
    public static CompletableFuture<Part> read(
            ReadTransaction tx, TypeKeys keys, Versionstamp after, int limit, List<FeedEntry> entries) {
        int rowsMax = Math.min(ROWS_AT_ONCE, limit - entries.size());
        return Quarantine.range(tx, keys, FeedKeys.of(keys).feedAfter(after), rowsMax, false, row -> decode(keys, row))
                .thenCompose(rows -> {
                    for (List<FeedEntry> row : rows) {
                        if (!entries.isEmpty() && entries.size() + row.size() > limit) {
                            return CompletableFuture.completedFuture(new Part(entries, true));
                        }
                        entries.addAll(row);
                    }
                    if (entries.size() >= limit || rows.size() < rowsMax) {
                        return CompletableFuture.completedFuture(new Part(entries, rows.size() == rowsMax));
                    }
                    Versionstamp last = entries.get(entries.size() - 1).sequence();
                    return read(tx, keys, last, limit, entries);
                });
    }

    /** {@return the sequence of the last entry of each type that has had one, even if it was trimmed} */
    public static CompletableFuture<Map<String, Versionstamp>> lastChanges(ReadTransaction tx, Keyspace keyspace) {
        return sequences(tx, keyspace.table("watches_activity"));
    }

    /** {@return the sequence of the last trimmed entry of each type that has had one} */
    public static CompletableFuture<Map<String, Versionstamp>> allTrimmedUpTo(ReadTransaction tx, Keyspace keyspace) {
        return sequences(tx, keyspace.table("feed_trimmed"));
    }

    private static CompletableFuture<Map<String, Versionstamp>> sequences(ReadTransaction tx, Subspace types) {
        return tx.snapshot().getRange(types.range()).asList().thenApply(rows -> {
            Map<String, Versionstamp> sequences = new HashMap<>();
            for (KeyValue row : rows) {
                Quarantine.typeName(row.getKey(), key -> Keyspace.typeName(types.unpack(key), 0))
                        .ifPresent(type -> Quarantine.readableOrLogged(
                                        row,
                                        each -> Tuple.fromBytes(each.getValue()).getVersionstamp(0))
                                .ifPresent(sequence -> sequences.put(type, sequence)));
            }
            return sequences;
        });
    }

    /** {@return the sequence of the last entry, even if it was trimmed, or null if there was none} */
    public static CompletableFuture<@Nullable Versionstamp> lastChange(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .get(FeedKeys.of(keys).watchesActivity())
                .thenApply(
                        value -> value == null ? null : Tuple.fromBytes(value).getVersionstamp(0));
    }

    /** {@return the sequence of the last trimmed entry, or null if none was trimmed} */
    public static CompletableFuture<@Nullable Versionstamp> trimmedUpTo(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .get(FeedKeys.of(keys).feedTrimmed())
                .thenApply(value -> Quarantine.readable(
                                tx,
                                keys,
                                FeedKeys.of(keys).feedTrimmed(),
                                value,
                                bytes -> Tuple.fromBytes(bytes).getVersionstamp(0))
                        .orElse(null));
    }

    /**
     * Removes the entries up to a sequence, and stores the sequence of the last removed entry: a reader that has read
     * it has missed no entry.
     */
    public static CompletableFuture<Void> trim(Transaction tx, TypeKeys keys, Versionstamp upTo) {
        Function<KeyValue, Versionstamp> sequence = row -> FeedKeys.of(keys).sequenceOfFeed(row.getKey());
        return Quarantine.range(tx, keys, FeedKeys.of(keys).feedUpTo(upTo), 1, true, sequence)
                .thenAccept(rows -> {
                    if (!rows.isEmpty()) {
                        Versionstamp last = rows.get(0);
                        tx.clear(FeedKeys.of(keys).feedUpTo(upTo));
                        // The largest wins, in whatever order several monitors commit.
                        tx.mutate(
                                MutationType.BYTE_MAX,
                                FeedKeys.of(keys).feedTrimmed(),
                                Tuple.from(last).pack());
                    }
                });
    }

    /** {@return whether a row has a token} */
    static boolean hasToken(KeyValue row, long token) {
        Tuple entry = Tuple.fromBytes(row.getValue());
        return entry.size() % 2 == 1 && entry.getLong(entry.size() - 1) == token;
    }

    private static List<FeedEntry> decode(TypeKeys keys, KeyValue stored) {
        Versionstamp sequence = FeedKeys.of(keys).sequenceOfFeed(stored.getKey());
        TupleReader row = new TupleReader(stored.getValue());
        List<FeedEntry> entries = new ArrayList<>();
        while (row.hasNext() && row.peek() == TupleWriter.STRING) {
            entries.add(new FeedEntry(sequence, row.readString(), state(row.readString())));
        }
        row.skipRest();
        return entries;
    }

    private static JobState state(String text) {
        JobState state = STATES.get(text);
        if (state == null) {
            throw new IllegalArgumentException("There is no state " + text);
        }
        return state;
    }
}
