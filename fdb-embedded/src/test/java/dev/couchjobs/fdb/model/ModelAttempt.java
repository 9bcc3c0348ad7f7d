package dev.couchjobs.fdb.model;

import com.apple.foundationdb.FDBException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One try of a transaction: a list of writes, and what it has read. Not thread-safe. */
final class ModelAttempt {

    private static final int CONFLICT = 1020;
    private static final int CANCELLED = 1025;
    private static final int UNREADABLE = 1036;
    private static final int CLIENT_INVALID_OPERATION = 2000;
    private static final int READ_VERSION_ALREADY_SET = 2010;
    private static final int VERSION_INVALID = 2011;
    private static final int USED_DURING_COMMIT = 2017;
    private static final int INVALID_COMMIT_VERSION = 2020;
    private static final int NO_COMMIT_VERSION = 2021;
    private static final long NOT_COMMITTED = -1;

    private final ModelDatabase database;
    private final List<Write> writes = new ArrayList<>();
    private final List<ModelKeyRange> reads = new ArrayList<>();
    private final List<ModelKeyRange> declaredWrites = new ArrayList<>();
    private final List<Write> conflictingWrites = new ArrayList<>();
    /** Where the outcome of a read no longer depends on the database. */
    private final List<ModelKeyRange> determined = new ArrayList<>();

    private final List<ModelKeyRange> cleared = new ArrayList<>();
    /** The keys written one by one, since they were last cleared. */
    private final TreeSet<String> written = new TreeSet<>();
    /** Where the outcome of a read depends on a stamp that nobody knows yet. */
    private List<ModelKeyRange> unreadable = new ArrayList<>();

    private final List<CompletableFuture<byte[]>> stamps = new ArrayList<>();

    private @Nullable Version version;
    private boolean nextWriteWithoutConflict;
    private boolean writesHidden;
    private boolean writesHiddenFromSnapshots;
    private boolean committing;
    private boolean cancelled;
    private long committedVersion;
    /** A write that went wrong: nothing works any more. */
    private @Nullable FDBException poison;
    /** A read that met something unreadable: the commit fails. */
    private @Nullable FDBException failedRead;

    ModelAttempt(ModelDatabase database) {
        this(database, NOT_COMMITTED);
    }

    ModelAttempt(ModelDatabase database, long committedVersion) {
        this.database = database;
        this.committedVersion = committedVersion;
    }

    static FDBException error(int code) {
        return new FDBException("model", code);
    }

    void checkUsable() {
        checkNotPoisoned();
        if (committing) {
            throw error(USED_DURING_COMMIT);
        }
        checkNotCancelled();
    }

    void checkNotPoisoned() {
        if (poison != null) {
            throw poison;
        }
    }

    void checkNotCancelled() {
        if (cancelled) {
            throw error(CANCELLED);
        }
    }

    Version version() {
        if (version == null) {
            version = database.latest();
        }
        return version;
    }

    void readAt(long number) {
        guarded(() -> {
            if (version != null) {
                throw error(READ_VERSION_ALREADY_SET);
            }
            if (number <= 0) {
                throw error(VERSION_INVALID);
            }
            version = database.at(number);
        });
    }

    private ModelRows view(boolean snapshot) {
        ModelRows view = version().rows().copy();
        if (showsWrites(snapshot)) {
            writes.forEach(write -> write.applyTo(view, version().stamp()));
        }
        return view;
    }

    private boolean showsWrites(boolean snapshot) {
        return !writesHidden && !(snapshot && writesHiddenFromSnapshots);
    }

    private List<ModelKeyRange> unreadable(boolean snapshot) {
        return showsWrites(snapshot) ? unreadable : List.of();
    }

    void hideWrites() {
        writesHidden = true;
    }

    void hideWritesFromSnapshots() {
        writesHiddenFromSnapshots = true;
    }

    @Nullable String get(String key, boolean snapshot) {
        checkUsable();
        look(ModelKeyRange.of(key), snapshot);
        String value = view(snapshot).get(key);
        addRead(ModelKeyRange.of(key), snapshot);
        return value;
    }

    String getKey(Selection selection, boolean snapshot) {
        checkUsable();
        ModelRows view = view(snapshot);
        look(selection.walked(view), snapshot);
        addRead(selection.walked(view), snapshot);
        return selection.key(view);
    }

    /** Keys and values in turn; {@code bytes} is how large a chunk is, or 0 if all is read at once. */
    List<String> getRange(RangeRead read, int bytes, boolean snapshot) {
        checkUsable();
        if (read.isInverted()) {
            return List.of();
        }
        ModelRows view = view(snapshot);
        List<String> keys;
        if (unreadable(snapshot).isEmpty()) {
            keys = read.keys(view);
            addRead(read.conflict(view, keys), snapshot);
        } else {
            keys = chunks(read, bytes, snapshot);
        }
        List<String> result = new ArrayList<>();
        for (String key : keys) {
            result.add(key);
            result.add(String.valueOf(view.get(key)));
        }
        return result;
    }

    private List<String> chunks(RangeRead whole, int bytes, boolean snapshot) {
        List<String> keys = new ArrayList<>();
        RangeRead next = whole;
        while (next != null) {
            RangeRead read = next;
            ClientReads.Chunk chunk;
            try {
                chunk = new ClientReads(own(snapshot)).read(read, bytes);
            } catch (ClientReads.UnreadableException met) {
                throw unreadable();
            }
            addRead(read.conflict(chunk.keys(), chunk.more(), chunk.toBegin(), chunk.toEnd()), snapshot);
            keys.addAll(chunk.keys());
            next = chunk.more() ? read.after(chunk.keys()) : null;
        }
        return keys;
    }

    private ClientReads.Own own(boolean snapshot) {
        return new ClientReads.Own(
                version().rows(),
                view(snapshot),
                written,
                key -> determined.stream().anyMatch(range -> range.contains(key)),
                key -> cleared.stream().anyMatch(range -> range.contains(key)),
                cleared,
                unreadable);
    }

    private void look(ModelKeyRange range, boolean snapshot) {
        if (unreadable(snapshot).stream().anyMatch(range::intersects)) {
            throw unreadable();
        }
    }

    private FDBException unreadable() {
        failedRead = error(UNREADABLE);
        return failedRead;
    }

    private void addRead(ModelKeyRange range, boolean snapshot) {
        if (!snapshot) {
            reads.addAll(writesHidden ? List.of(range) : range.without(determined));
        }
    }

    void declareRead(ModelKeyRange range) {
        guarded(() -> {
            checkNotCommitting();
            addRead(range, false);
        });
    }

    void declareWrite(ModelKeyRange range) {
        guarded(() -> {
            checkNotCommitting();
            declaredWrites.add(range);
        });
    }

    void skipNextConflict() {
        nextWriteWithoutConflict = true;
    }

    /** A write never fails in place. */
    void write(Write write) {
        boolean conflicts = !nextWriteWithoutConflict;
        nextWriteWithoutConflict = false;
        guarded(() -> {
            checkNotCommitting();
            if (!write.isLegal()) {
                throw error(CLIENT_INVALID_OPERATION);
            }
            if (write instanceof Write.Clear clear && clear.cleared().isEmpty()) {
                return;
            }
            writes.add(write);
            if (conflicts || write instanceof Write.StampKey) {
                conflictingWrites.add(write);
            }
            note(write);
        });
    }

    private void note(Write write) {
        if (write instanceof Write.Put put) {
            determined.add(ModelKeyRange.of(put.key()));
            written.add(put.key());
        } else if (write instanceof Write.Clear clear) {
            determined.add(clear.cleared());
            cleared.add(clear.cleared());
            written.removeIf(clear.cleared()::contains);
            unreadable = unreadable.stream()
                    .flatMap(range -> range.without(List.of(clear.cleared())).stream())
                    .toList();
        } else if (write instanceof Write.StampValue stamped) {
            determined.add(ModelKeyRange.of(stamped.key()));
            written.add(stamped.key());
            makeUnreadable(ModelKeyRange.of(stamped.key()));
        } else if (write instanceof Write.Mutate mutate) {
            written.add(mutate.key());
        } else if (write instanceof Write.StampKey stamped) {
            makeUnreadable(stamped.possible(version == null ? Version.NONE : version.stamp()));
        }
    }

    private void makeUnreadable(ModelKeyRange range) {
        unreadable = new ArrayList<>(unreadable);
        unreadable.add(range);
    }

    void poison(int code) {
        guarded(() -> {
            throw error(code);
        });
    }

    private void checkNotCommitting() {
        if (committing) {
            throw error(USED_DURING_COMMIT);
        }
    }

    private void guarded(Runnable call) {
        if (poison == null) {
            try {
                call.run();
            } catch (FDBException error) {
                poison = error;
            }
        }
    }

    void awaitStamp(CompletableFuture<byte[]> stamp) {
        checkUsable();
        stamps.add(stamp);
    }

    long committedVersion() {
        return committedVersion;
    }

    void cancel() {
        cancelled = true;
        stamps.forEach(stamp -> stamp.completeExceptionally(error(CANCELLED)));
    }

    void commit() {
        checkUsable();
        committing = true;
        try {
            if (failedRead != null) {
                throw failedRead;
            }
            if (writes.isEmpty() && declaredWrites.stream().allMatch(ModelKeyRange::isEmpty)) {
                committedVersion = NOT_COMMITTED;
                failStamps(NO_COMMIT_VERSION);
                return;
            }
            commitWrites();
        } catch (FDBException error) {
            if (error != failedRead) {
                failStamps(INVALID_COMMIT_VERSION);
            }
            throw error;
        }
    }

    private void commitWrites() {
        long readVersion = version().number();
        if (database.writtenSince(readVersion)
                .anyMatch(written -> reads.stream().anyMatch(written::intersects))) {
            throw error(CONFLICT);
        }
        Version next = database.next();
        writes.forEach(write -> write.applyTo(next.rows(), next.stamp()));
        next.written().addAll(declaredWrites);
        conflictingWrites.forEach(write -> next.written().add(write.range(next.stamp())));
        committedVersion = next.number();
        stamps.forEach(stamp -> stamp.complete(Text.bytes(next.stamp())));
    }

    private void failStamps(int code) {
        stamps.forEach(stamp -> stamp.completeExceptionally(error(code)));
    }
}
