package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A redo log: what was appended and synced is replayed when the log is opened again, whatever happened in between.
 *
 * <p>Assumptions: the disk writes sectors of 512 bytes atomically, a write does not change neighbouring bytes, and
 * synced data is durable.
 *
 * <p>It is a sequence of numbered {@linkplain SegmentStore segments}, filled with zeros before they are used and never
 * used twice; so zeros behind the last record are where the log ends. A crash can only undo what was not synced, and of
 * that any sectors: they are zeros again, or, under a kill of the process, were never written. Everything else is
 * damage, and opening distinguishes the two by these rules. It refuses rather than guesses.
 * <ul>
 *   <li>Each record says how far the log was synced when it was written. A bad record with a record behind it that was
 *       written after it was synced is damage.</li>
 *   <li>So is a bad record with anything in a later segment: a segment is synced to its end before the next is
 *   used.</li>
 *   <li>Any other bad record was perhaps never synced. It is taken as lost if it looks like that: more of its sectors
 *   are zeros than were written as such, by its header, or it has no end. A changed byte looks otherwise. What
 *   was appended behind a lost record is lost as well; it cannot have been synced.</li>
 *   <li>What is left of lost records is overwritten with zeros, and that synced, before anything is appended, so that
 *   it is never taken for something that was written later.</li>
 *   <li>{@link #close} leaves a mark that says how far the log was synced, in a sector of its own. So after a clean end
 *   no sector can be lost, nor a byte change, of any record without being noticed.</li>
 *   <li>A segment that is shorter than its header says, or is missing from the sequence, or a version that does not
 *   follow the one before, is damage: none of these is what a crash does.</li>
 * </ul> What stays unseen is a disk that returns zeros for the whole of the newest synced record, or for sectors of it,
 * after a crash: nothing on such a disk differs from a write that was under way.
 *
 * <p>All methods are for one thread at a time. After a {@link StorageException} the log cannot be used, unless
 * {@link #isUsable} says otherwise: what the system could not write it may have dropped, and a second attempt at
 * syncing may succeed without it.
 */
public final class CommitLog implements AutoCloseable {
    /** The largest payload of a record. */
    public static final int PAYLOAD_LIMIT = 1 << 30;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final SegmentStore store;
    private final Deque<Segment> finished = new ArrayDeque<>();
    private final SegmentPreallocator preallocator;
    private final SegmentWriter writer;
    private long finishedBytes;
    private @Nullable StorageException failure;
    private boolean closed;

    private CommitLog(SegmentStore store, LogRecovery.Result recovered, SegmentPreallocator preallocator) {
        this.store = store;
        this.preallocator = preallocator;
        int last = recovered.used().size() - 1;
        recovered.used().subList(0, last).forEach(this::finish);
        this.writer = new SegmentWriter(recovered.used().get(last));
    }

    /**
     * Opens the log in a directory.
     *
     * @param after the version up to which the records are no longer needed, because the caller has them
     * @param executor makes segments ahead of need; may be one that does it at once, or never
     * @param replay gets every record that is there; the caller discards what it got if this throws
     * @throws CorruptStorageException if anything that was synced is damaged or missing; nothing was changed
     */
    static CommitLog open(
            Path directory, long after, LogFiles files, int segmentBytes, Executor executor, Replay replay) {
        SegmentStore store = new SegmentStore(directory, files);
        try {
            List<Segment> segments = store.open();
            try {
                LogRecovery.Result recovered = new LogRecovery(segments, after, replay).run();
                replayAgain(store, segments, recovered, after, replay);
                CommitLog log = new CommitLog(store, recovered, new SegmentPreallocator(store, executor, segmentBytes));
                log.beginOrClose(recovered);
                return log;
            } catch (IOException | RuntimeException | Error e) {
                segments.forEach(SegmentStore::close);
                throw e;
            }
        } catch (IOException e) {
            throw DiskErrors.whileOpening(files, directory, e);
        }
    }

    private static void replayAgain(
            SegmentStore store, List<Segment> segments, LogRecovery.Result recovered, long after, Replay replay)
            throws IOException {
        Replay again = replay.again();
        if (again != null) {
            for (Segment segment : recovered.used()) {
                store.resync(segment);
            }
            segments.forEach(Segment::rewind);
            LogRecovery.Result unused = new LogRecovery(segments, after, again).run();
        }
    }

    /** Makes the log in an empty directory; does nothing if that has been done. */
    static void create(Path directory, LogFiles files, int segmentBytes) throws IOException {
        if (!files.exists(directory.resolve(SegmentStore.name(0)))) {
            SegmentStore store = new SegmentStore(directory, files);
            SegmentStore.close(store.create(0, SegmentLayout.segmentSize(0, segmentBytes), SegmentWriter.opened()));
        }
    }

    /** Whether a directory with these files has at most the beginning of a log. */
    static boolean isAsCreated(List<String> names) {
        return names.stream().allMatch(name -> name.startsWith(SegmentStore.name(0)));
    }

    /** Closes the segments if the log cannot be opened, so that no segment is made ahead for it. */
    private void beginOrClose(LogRecovery.Result recovered) throws IOException {
        try {
            begin(recovered);
        } catch (IOException | RuntimeException | Error e) {
            preallocator.close();
            throw e;
        }
    }

    /** Syncs what a crash left unsynced, removes what it left undone, and marks that the log is in use. */
    private void begin(LogRecovery.Result recovered) throws IOException {
        store.settleFiles();
        Segment current = writer.segment();
        if (recovered.spare() != null) {
            preallocator.keep(recovered.spare());
        }
        if (recovered.lastTrace() > current.end) {
            store.wipe(current, recovered.lastTrace());
        }
        if (current.end == SegmentLayout.FIRST && !finished.isEmpty()) {
            store.resync(finished.getLast());
        }
        store.resync(current);
        makeRoom(0);
        writer.append(RecordKind.OPENED, lastVersion(), NOTHING.duplicate());
        writer.sync();
    }

    /**
     * Appends a record, which is durable after the next {@link #sync}.
     *
     * @param version greater than the last
     * @param payload of at most {@link #PAYLOAD_LIMIT} bytes; is read to its end
     * @throws StorageFullException if there is no space for another segment; nothing was appended, the log remains
     *     usable, and the next append tries again
     * @throws StorageException if another segment could not be made for any other reason, with the same consequence; or
     *     if a write failed, and the log is at an end
     */
    public void append(long version, ByteBuffer payload) {
        requireUsable();
        if (version <= lastVersion()) {
            throw new IllegalArgumentException("Version " + version + " does not follow " + lastVersion());
        }
        if (payload.remaining() > PAYLOAD_LIMIT) {
            throw new IllegalArgumentException("A record of " + payload.remaining() + " bytes is too large");
        }
        try {
            makeRoom(payload.remaining());
            writer.append(RecordKind.COMMITS, version, payload);
        } catch (IOException e) {
            throw failed(e);
        } catch (VirtualMachineError e) {
            // No memory, or no stack left on a user's thread: half a record may be in the buffer.
            throw failed(new IOException(e));
        }
    }

    /** Sees that the current segment has room for a record, and will have a successor. */
    private void makeRoom(int length) throws IOException {
        Segment current = writer.segment();
        if (current.hasRoomFor(length)) {
            if (current.end > current.size / 2) {
                preallocator.prepare(current.number + 1);
            }
            return;
        }
        Segment next = preallocator.take(current.number + 1, SegmentLayout.segmentFor(length));
        next.lastVersion = current.lastVersion;
        try {
            writer.append(RecordKind.SEGMENT_END, current.lastVersion, NOTHING.duplicate());
            writer.sync();
        } catch (IOException e) {
            SegmentStore.close(next);
            throw e;
        }
        finish(current);
        writer.begin(next);
    }

    private void finish(Segment segment) {
        finished.addLast(segment);
        finishedBytes += segment.end;
    }

    /**
     * Writes what was appended to the operating system. It survives a crash of the process, not of the machine.
     *
     * @throws StorageException if that failed
     */
    public void flush() {
        requireUsable();
        try {
            writer.flush();
        } catch (IOException e) {
            throw failed(e);
        } catch (VirtualMachineError e) {
            throw failed(new IOException(e));
        }
    }

    /**
     * Makes durable what was appended.
     *
     * @throws StorageException if that failed: it may be durable, or not, or in part
     */
    public void sync() {
        requireUsable();
        try {
            writer.sync();
        } catch (IOException e) {
            throw failed(e);
        } catch (VirtualMachineError e) {
            throw failed(new IOException(e));
        }
    }

    /**
     * Deletes the segments whose records are all at or below {@code version}. Syncs first if records are not synced.
     *
     * @param version the records up to this version are durable elsewhere
     */
    public void truncate(long version) {
        // Until the first record of the current segment is durable, the previous segment holds the last version.
        sync();
        try {
            while (!finished.isEmpty() && finished.getFirst().lastVersion <= version) {
                Segment segment = finished.removeFirst();
                finishedBytes -= segment.end;
                store.delete(segment);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** The bytes of records that have not been truncated. */
    public long bytesHeld() {
        return finishedBytes + writer.segment().end;
    }

    /** The version of the last record, also if it is truncated; 0 for a new log. */
    public long lastVersion() {
        return writer.segment().lastVersion;
    }

    /** Whether records can be appended: not after a failed write or sync, nor once it is closed. */
    public boolean isUsable() {
        return failure == null && !closed;
    }

    /** {@return the failed write or sync after which no record can be appended, or null} */
    public @Nullable StorageException failure() {
        return failure;
    }

    private void requireUsable() {
        if (failure != null) {
            throw failure;
        }
        if (closed) {
            throw new IllegalStateException("The log in " + store.directory() + " is closed");
        }
    }

    /**
     * Fails the log: later appends and syncs throw. For a caller that no longer knows which records it has appended.
     *
     * @param reason the error
     */
    public void fail(Throwable reason) {
        if (failure == null) {
            failed(new IOException(reason));
        }
    }

    private StorageException failed(IOException e) {
        failure = DiskErrors.whileWriting(store.files(), writer.segment().path, e);
        return failure;
    }

    /** Syncs, and marks the end as a clean one. After a failure it does neither. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        try {
            if (failure == null) {
                sync();
                writer.append(RecordKind.CLOSED, lastVersion(), NOTHING.duplicate());
                writer.sync();
            }
        } catch (IOException e) {
            throw failed(e);
        } finally {
            closed = true;
            preallocator.close();
            finished.forEach(SegmentStore::close);
            SegmentStore.close(writer.segment());
        }
    }
}
