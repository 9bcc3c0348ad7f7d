package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import dev.couchjobs.fdb.internal.log.CommitLog;
import dev.couchjobs.fdb.internal.log.DatabaseDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * A copy of a database that is open: the base as it is, and a log of the batches that it lacks. It is written beside
 * its place, and gets its name when all of it is on disk.
 */
final class Backup {
    private static final String UNFINISHED = ".unfinished";

    private final Path place;
    private final Path unfinished;

    /**
     * @param place where the copy is to be
     * @throws StorageException if something is there
     */
    Backup(Path place) {
        this.place = place.toAbsolutePath();
        if (this.place.getFileName() == null) {
            throw new StorageException("A backup cannot be the root of a file system. Name a directory.", place, null);
        }
        this.unfinished = this.place.resolveSibling(this.place.getFileName() + UNFINISHED);
        if (Files.exists(this.place)) {
            throw isThere(this.place, "Name a directory that is not there yet.");
        }
    }

    private static StorageException isThere(Path path, String cure) {
        return new StorageException(path + " is there already. " + cure, path, null);
    }

    /**
     * What is copied.
     *
     * @param copies where the base is copied first
     * @param ceiling is asked once the batches are known
     */
    record Source(OverlayFlusher flusher, BaseCopies copies, LongSupplier ceiling) {}

    /**
     * Writes the copy. Commits continue meanwhile: the base is copied on its own disk first, by links, and brought to
     * the place from there.
     */
    void write(Source source, FileTrees.Move move) {
        makeUnfinished();
        try {
            writeUnfinished(source, move);
        } catch (RuntimeException e) {
            remove(unfinished, e);
            throw e;
        }
    }

    /** Of backups with one name at once only one makes the directory; the others must not remove it. */
    private void makeUnfinished() {
        try {
            Files.createDirectories(Objects.requireNonNull(unfinished.getParent()));
        } catch (IOException e) {
            throw failed(e);
        }
        try {
            Files.createDirectory(unfinished);
        } catch (FileAlreadyExistsException e) {
            throw isThere(unfinished, "A backup of that name runs, or did not end: then remove what it has left.");
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** The place failed, so the database is as it was. */
    private StorageException failed(Exception e) {
        boolean isFull = e instanceof StorageFullException
                || (e instanceof IOException io && DatabaseDirectory.isFull(place, io));
        if (isFull) {
            return new StorageFullException(
                    "No space is left for the backup in " + place + ". The database is unharmed, and goes on. Free some"
                            + " space there, or name another directory, and make the backup again.",
                    place,
                    e);
        }
        return new StorageException(
                "The backup in " + place + " could not be written: " + reason(e)
                        + ". The database is unharmed, and goes on.",
                place,
                e);
    }

    /** The messages of storage errors are about a database, and say what to do with it. */
    private static String reason(Exception e) {
        return e instanceof StorageException && e.getCause() != null
                ? e.getCause().toString()
                : e.toString();
    }

    /** The disk of the database failed. */
    private StorageException failedBefore(Exception e) {
        String message = "The backup in " + place + " could not be begun: " + e.getMessage();
        return e instanceof StorageFullException full
                ? new StorageFullException(message, full.path(), e)
                : new StorageException(message, place, e);
    }

    /** Frees the space, as far as the disk permits it. */
    private static void remove(Path directory, Exception reason) {
        try {
            FileTrees.delete(directory);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private void writeUnfinished(Source source, FileTrees.Move move) {
        Path copy = create(source.copies());
        try {
            Path base = copy.resolve("base");
            write(copied(source.flusher(), base), base, source.ceiling(), move);
        } finally {
            source.copies().remove(copy);
        }
    }

    private Path create(BaseCopies copies) {
        try {
            return copies.create();
        } catch (IOException e) {
            throw failedBefore(e);
        }
    }

    private OverlayFlusher.CopiedBase copied(OverlayFlusher flusher, Path base) {
        try {
            return flusher.copyBase(base);
        } catch (StorageException e) {
            throw failedBefore(e);
        }
    }

    private void write(OverlayFlusher.CopiedBase copied, Path base, LongSupplier ceiling, FileTrees.Move move) {
        try {
            try (DatabaseDirectory directory = DatabaseDirectory.open(unfinished)) {
                // Comes first: the batches are in memory until they are written.
                writeLog(directory, copied, ceiling);
                Files.delete(directory.base());
                move.move(base, directory.base());
            }
            DatabaseDirectory.rename(unfinished, place);
        } catch (IOException | RuntimeException e) {
            throw failed(e);
        }
    }

    private static void writeLog(DatabaseDirectory directory, OverlayFlusher.CopiedBase base, LongSupplier ceiling) {
        try (CommitLog log = directory.openLog(0, Runnable::run, (version, payload) -> {})) {
            base.missing().forEach(batch -> append(log, batch.version(), new BatchRecord(0, batch.mutations())));
            // As after a close: the next run begins behind every version that this one may have handed out.
            long last = Math.max(log.lastVersion(), base.version());
            append(log, last + 1, new BatchRecord(ceiling.getAsLong(), List.of()));
        }
    }

    private static void append(CommitLog log, long version, BatchRecord written) {
        ByteBuffer buffer = ByteBuffer.allocate(written.bytes());
        written.encode(buffer);
        log.append(version, buffer.flip());
    }
}
