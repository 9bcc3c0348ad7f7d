package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.base.BaseSettings;
import dev.couchjobs.fdb.internal.base.NativeLibrary;
import dev.couchjobs.fdb.internal.base.RocksBase;
import dev.couchjobs.fdb.internal.common.EngineFailure;
import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.log.CommitLog;
import dev.couchjobs.fdb.internal.log.DatabaseDirectory;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import dev.couchjobs.fdb.internal.versions.VersionWindow;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Storage on disk: a redo log that receives each batch at its commit, and a base that receives it some seconds later,
 * when no reader can read an older version. Until then a batch is in the overlay, in memory. When a database is opened
 * again, the batches in the log that the base lacks become the overlay.
 */
public final class DurableStorage implements Storage {
    /** How far the ceiling, the version at which the next run begins, is raised above the versions in use. */
    static final long CEILING_LEAD_VERSIONS = TimeUnit.HOURS.toSeconds(1) * Limits.VERSIONS_PER_SECOND;

    private static final long RELAXED_SYNC_MILLIS = 50;
    private static final int FIRST_BUFFER_BYTES = 1 << 16;
    private static final int LARGEST_KEPT_BUFFER_BYTES = 1 << 22;

    private static final CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

    private final DatabaseDirectory directory;
    private final Base base;
    private final CommitLog log;
    private final Durability durability;
    private final EngineEnvironment environment;
    private final EngineFailure engineFailure;
    private final Executor executor;
    private final OverlayFlusher flusher;
    private final Snapshot recovered;
    private volatile LongSupplier oldestReadable = () -> 0;
    private volatile long ceiling;
    /** The batches in the log that are not synced, in the order of versions. */
    private final List<OverlayFlusher.LoggedBatch> unsynced = new ArrayList<>();

    private long truncatedTo;
    private boolean syncDue;
    private boolean closed;
    /** Set once the directory was removed or replaced. */
    private volatile @Nullable StorageException replaced;

    private ByteBuffer buffer = ByteBuffer.allocate(FIRST_BUFFER_BYTES);

    private DurableStorage(
            DatabaseDirectory directory,
            Base base,
            Durability durability,
            EngineEnvironment environment,
            EngineFailure engineFailure,
            long after) {
        this.directory = directory;
        this.base = base;
        this.durability = durability;
        this.environment = environment;
        this.engineFailure = engineFailure;
        this.executor = engineFailure.guard(environment.executor());
        long recentBytes = MemoryLimits.ofHeap(environment.heapBytes()).recentBytes();
        this.flusher = new OverlayFlusher(base, executor, engineFailure, () -> oldestReadable.getAsLong(), recentBytes);
        OverlayRecovery recovery = new OverlayRecovery(base, flusher, recentBytes / 2);
        this.log = directory.openLog(base.version(), executor, recovery);
        long last = Math.max(after, Math.max(log.lastVersion(), recovery.ceiling()));
        long first = Math.max(VersionWindow.FIRST_VERSION, last + 1);
        this.recovered = new Snapshot(
                first, new LayeredContents(overlay(recovery), base, new EmptyRangeHint(EmptyRangeHint.MIN_KEYS)));
    }

    private Overlay overlay(OverlayRecovery recovery) {
        try {
            return recovery.overlay();
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    public static DurableStorage open(Path path, Durability durability, EngineEnvironment environment) {
        return open(path, durability, environment, new EngineFailure(), 0);
    }

    /**
     * Opens a database whose new versions are greater than {@code after}. {@code engineFailure} learns of every task
     * that fails.
     */
    public static DurableStorage open(
            Path path, Durability durability, EngineEnvironment environment, EngineFailure engineFailure, long after) {
        NativeLibrary.requireClasses(path);
        DatabaseDirectory directory = DatabaseDirectory.open(path);
        try {
            new BaseCopies(directory.copies()).clear();
            Base base = RocksBase.open(directory.base(), BaseSettings.DEFAULT);
            try {
                return new DurableStorage(directory, base, durability, environment, engineFailure, after).begun();
            } catch (RuntimeException | Error e) {
                base.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    /** Stores a ceiling, so that the versions of the next run are greater than those of this one. */
    private DurableStorage begun() {
        try {
            requireLogNotBehindBase();
            write(recovered.version(), List.of());
            return this;
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    /** The base receives only batches that are synced in the log. */
    private void requireLogNotBehindBase() {
        if (log.lastVersion() < base.version()) {
            Path path = directory.log();
            throw new CorruptStorageException(
                    "The log in " + path + " ends at version " + log.lastVersion() + ", before version "
                            + base.version() + " that was taken from it: its newest part is missing. Copy the directory"
                            + " before you try anything, and restore a backup.",
                    path,
                    null);
        }
    }

    @Override
    public Snapshot recovered() {
        return recovered;
    }

    @Override
    public long ceiling() {
        return ceiling;
    }

    @Override
    public void start(LongSupplier oldestReadableVersion) {
        oldestReadable = oldestReadableVersion;
    }

    @Override
    public LayeredEdit edit(long version, Contents latest) {
        LayeredContents layered = (LayeredContents) latest;
        return new LayeredEdit(layered.under(flusher.trimmed(layered.overlay())), version);
    }

    @Override
    public CompletableFuture<@Nullable Void> persist(List<Batch> batches) {
        try {
            directory.requireInPlace();
        } catch (StorageException error) {
            replaced = error;
            return CompletableFuture.failedFuture(error);
        }
        CompletableFuture<@Nullable Void> room = flusher.makeRoom();
        if (!room.isDone()) {
            return room.thenRunAsync(() -> write(batches), executor);
        }
        try {
            room.join();
            write(batches);
            return DONE;
        } catch (RuntimeException error) {
            return CompletableFuture.failedFuture(error);
        }
    }

    /** After an {@link Error} the log may contain a batch that the engine abandons, so no record may follow. */
    private void write(List<Batch> batches) {
        try {
            writeAll(batches);
        } catch (Error error) {
            synchronized (this) {
                log.fail(error);
            }
            throw error;
        }
    }

    @Override
    public @Nullable StorageException failure() {
        StorageException ofDirectory = replaced;
        synchronized (this) {
            return ofDirectory == null ? log.failure() : ofDirectory;
        }
    }

    /** Contains every commit that is acknowledged before the call, and none in part. */
    @Override
    public void backUp(Path path) {
        backUp(path, FileTrees::move);
    }

    void backUp(Path path, FileTrees.Move move) {
        directory.requireInPlace();
        Backup backup = new Backup(path);
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("The database is closed");
            }
            syncNow();
        }
        backup.write(new Backup.Source(flusher, new BaseCopies(directory.copies()), () -> ceiling), move);
    }

    /** Flushes all batches to the base, so that the next opening has nothing to replay. */
    @Override
    public synchronized void close(long newest) {
        closed = true;
        try {
            directory.requireInPlace();
        } catch (StorageException error) {
            abandon(error);
            throw error;
        }
        try {
            syncNow();
            flusher.flushAll();
            // The jobs take versions for time: what they measured before the close is not to look recent afterwards.
            append(newest + 1, new BatchRecord(newest + CEILING_LEAD_VERSIONS, List.of()));
            truncateLog();
        } finally {
            closeFiles();
        }
    }

    /** Closes the files of the directory that was opened, which is no longer at its path. */
    private void abandon(StorageException reason) {
        try (directory) {
            base.abandon();
            log.close();
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    private void closeFiles() {
        try (directory;
                base) {
            log.close();
        }
    }

    private void writeAll(List<Batch> batches) {
        List<BaseMutation> mutations = new ArrayList<>();
        for (Batch batch : batches) {
            mutations.addAll(((LayeredEdit) batch.edit()).mutations());
        }
        Batch last = batches.get(batches.size() - 1);
        write(last.version(), mutations);
        flusher.forgetFlushed(((LayeredEdit) last.edit()).contents().overlay());
    }

    private synchronized void write(long version, List<BaseMutation> mutations) {
        boolean raise = version + CEILING_LEAD_VERSIONS / 2 > ceiling;
        if (mutations.isEmpty() && !raise) {
            return;
        }
        // Comes first: if it fails, the batch must not be in the log.
        truncateLog();
        BatchRecord written = new BatchRecord(raise ? version + CEILING_LEAD_VERSIONS : ceiling, mutations);
        int bytes = append(version, written);
        unsynced.add(new OverlayFlusher.LoggedBatch(version, mutations, bytes));
        if (durability == Durability.SYNCED || raise) {
            syncNow();
        } else {
            log.flush();
            syncSoon();
        }
        ceiling = written.ceiling();
    }

    private int append(long version, BatchRecord written) {
        int bytes = written.bytes();
        if (buffer.capacity() < bytes) {
            buffer = ByteBuffer.allocate(Math.max(bytes, 2 * buffer.capacity()));
        }
        buffer.clear();
        written.encode(buffer);
        log.append(version, buffer.flip());
        if (buffer.capacity() > LARGEST_KEPT_BUFFER_BYTES) {
            buffer = ByteBuffer.allocate(FIRST_BUFFER_BYTES);
        }
        return bytes;
    }

    private void syncSoon() {
        if (syncDue) {
            return;
        }
        syncDue = true;
        try {
            var unused = environment
                    .scheduler()
                    .schedule(
                            engineFailure.guard(() -> executor.execute(this::syncIfOpen)),
                            RELAXED_SYNC_MILLIS,
                            TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopped) {
            syncNow();
        }
    }

    /** If the sync fails, the engine stops. */
    private synchronized void syncIfOpen() {
        syncDue = false;
        if (!closed) {
            syncNow();
        }
    }

    /** Passes batches to the flusher only once they are synced, or the base could be ahead of the log after a crash. */
    private void syncNow() {
        log.sync();
        unsynced.forEach(flusher::add);
        unsynced.clear();
    }

    private void truncateLog() {
        long durable = flusher.durableVersion();
        if (durable > truncatedTo) {
            syncNow();
            log.truncate(durable);
            truncatedTo = durable;
        }
    }
}
