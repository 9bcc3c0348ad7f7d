package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ChangePage;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobType;
import dev.couchjobs.SequenceNotVisibleException;
import dev.couchjobs.UncommittedChangesException;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feed.ChangeFeed;
import dev.couchjobs.internal.feed.FeedEntry;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The verbs that read the change feeds. */
public final class ChangeVerbs {
    private static final Comparator<JobChange> IN_ORDER = Comparator.comparing(JobChange::sequence);

    private final Keyspace keyspace;
    private final Transactions transactions;

    public ChangeVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
    }

    /** Reads one page. */
    private interface PageRead {
        /** @param upTo the last sequence that the transaction can see */
        CompletableFuture<ChangePage> read(ReadTransaction tx, Versionstamp upTo, int limit);
    }

    /** {@return the last sequence that a read can see} */
    public CompletableFuture<Versionstamp> now(ReadTransactionContext context) {
        return transactions
                .named("read changes", "")
                .read(context, tx -> tx.getReadVersion().thenApply(IncompleteVersionstamps::upTo));
    }

    /** {@return a page of the changes of one type} */
    public CompletableFuture<ChangePage> read(
            ReadTransactionContext context, JobType<?, ?> type, Versionstamp since, int limit) {
        TypeKeys keys = keyspace.type(type.name());
        return read(context, type.name(), since, limit, (tx, upTo, size) -> {
            CompletableFuture<TypeChanges> changes = changesOf(tx, keys, since, size);
            return ChangeFeed.trimmedUpTo(tx, keys)
                    .thenCombine(
                            changes,
                            (trimmedUpTo, read) ->
                                    isTrimmed(since, trimmedUpTo) ? trimmed(upTo) : page(List.of(read), upTo, size));
        });
    }

    /** {@return a page of the changes of all types} */
    public CompletableFuture<ChangePage> readAll(ReadTransactionContext context, Versionstamp since, int limit) {
        return read(context, "", since, limit, (tx, upTo, size) -> {
            CompletableFuture<Map<String, Versionstamp>> trimmed = ChangeFeed.allTrimmedUpTo(tx, keyspace);
            return ChangeFeed.lastChanges(tx, keyspace)
                    .thenCompose(last -> trimmed.thenCompose(trimmedUpTo -> {
                        if (trimmedUpTo.values().stream().anyMatch(sequence -> isTrimmed(since, sequence))) {
                            return CompletableFuture.completedFuture(trimmed(upTo));
                        }
                        List<TypeKeys> changed = last.entrySet().stream()
                                .filter(type -> IncompleteVersionstamps.isInOrAfterCommit(type.getValue(), since))
                                .map(type -> keyspace.type(type.getKey()))
                                .toList();
                        return mergedPage(tx, changed, since, upTo, size);
                    }));
        });
    }

    private CompletableFuture<ChangePage> read(
            ReadTransactionContext context, String typeName, Versionstamp since, int limit, PageRead page) {
        requireComplete(since);
        if (limit < 1 || limit > JobChanges.LIMIT_MAX) {
            throw new IllegalArgumentException(
                    "A page has 1 to " + JobChanges.LIMIT_MAX + " changes; this asks for " + limit + ".");
        }
        return new BatchSize(limit)
                .run(tries -> transactions
                        .named("read changes", typeName)
                        .read(
                                context,
                                tx -> tries.next(size -> {
                                    if (JobStore.hasChanged(tx)) {
                                        return CompletableFuture.failedFuture(new UncommittedChangesException());
                                    }
                                    return tx.getReadVersion().thenCompose(version -> {
                                        requireVisible(since, version);
                                        return page.read(tx, IncompleteVersionstamps.upTo(version), size);
                                    });
                                })));
    }

    /** Refuses the sequence of a commit to come. */
    public static void requireComplete(Versionstamp since) {
        if (!since.isComplete()) {
            throw new IllegalArgumentException(
                    "This sequence is incomplete: its commit is still to come. Pass one that now or a page returned.");
        }
    }

    private static void requireVisible(Versionstamp since, long readVersion) {
        if (ByteBuffer.wrap(since.getTransactionVersion()).getLong() > readVersion) {
            throw new SequenceNotVisibleException(readVersion, since);
        }
    }

    private static boolean isTrimmed(Versionstamp since, @Nullable Versionstamp trimmedUpTo) {
        return trimmedUpTo != null && since.compareTo(trimmedUpTo) < 0 && !since.equals(JobChanges.OLDEST);
    }

    private static ChangePage trimmed(Versionstamp upTo) {
        return new ChangePage(List.of(), upTo, false, true);
    }

    /**
     * Changes of one type.
     *
     * @param readUpTo the last sequence that was read, if there may be further changes
     */
    private record TypeChanges(List<JobChange> changes, Optional<Versionstamp> readUpTo) {}

    private static CompletableFuture<TypeChanges> changesOf(
            ReadTransaction tx, TypeKeys keys, Versionstamp since, int limit) {
        return ChangeFeed.read(tx, keys, since, limit, new ArrayList<>()).thenApply(part -> {
            List<FeedEntry> entries = part.entries();
            List<JobChange> changes = entries.stream()
                    .map(entry -> new JobChange(keys.typeName(), entry.jobId(), entry.state(), entry.sequence()))
                    .toList();
            return new TypeChanges(
                    changes,
                    part.hasMore() ? Optional.of(entries.get(entries.size() - 1).sequence()) : Optional.empty());
        });
    }

    /** Reads a share of the page from each type, so that the page ends where the first of these shares ends. */
    private static CompletableFuture<ChangePage> mergedPage(
            ReadTransaction tx, List<TypeKeys> types, Versionstamp since, Versionstamp upTo, int limit) {
        int share = Math.max(1, limit / Math.max(1, types.size()));
        List<CompletableFuture<TypeChanges>> reads =
                types.stream().map(keys -> changesOf(tx, keys, since, share)).toList();
        return Futures.listOf(reads).thenApply(pages -> page(pages, upTo, limit));
    }

    private static ChangePage page(List<TypeChanges> types, Versionstamp upTo, int limit) {
        Optional<Versionstamp> end =
                types.stream().flatMap(type -> type.readUpTo().stream()).min(Comparator.naturalOrder());
        Stream<JobChange> all = types.stream().flatMap(type -> type.changes().stream());
        List<JobChange> changes = end.map(
                        last -> all.filter(change -> change.sequence().compareTo(last) <= 0))
                .orElse(all)
                .sorted(IN_ORDER)
                .toList();
        int size = sizeUpTo(changes, limit);
        if (size < changes.size()) {
            return new ChangePage(
                    changes.subList(0, size), changes.get(size - 1).sequence(), true, false);
        }
        return new ChangePage(changes, end.orElse(upTo), end.isPresent(), false);
    }

    /** The number of changes on a page: at most the limit, unless the first changes have one sequence. */
    private static int sizeUpTo(List<JobChange> changes, int limit) {
        int size = Math.min(limit, changes.size());
        while (size > 0
                && size < changes.size()
                && changes.get(size - 1).sequence().equals(changes.get(size).sequence())) {
            size--;
        }
        if (size > 0 || changes.isEmpty()) {
            return size;
        }
        Versionstamp first = changes.get(0).sequence();
        return (int) changes.stream()
                .takeWhile(change -> change.sequence().equals(first))
                .count();
    }
}
