package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import dev.couchjobs.fdb.embedded.DirectoryNotWritableException;
import dev.couchjobs.fdb.embedded.StorageException;
import dev.couchjobs.fdb.embedded.UnknownFormatException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * The directory of a durable database, locked against all other processes until it is closed:
 * <pre>
 * FORMAT  what this is, and of which version
 * LOCK    who has it open
 * log/    the {@linkplain CommitLog redo log}
 * base/   the batches that the log no longer has to keep; the engine's
 * copies/ copies of the base, while backups are written
 * </pre> A crash while it is made leaves a directory without FORMAT in which nothing can have been committed; it is
 * completed when it is opened again. Any other directory that has something in it and no FORMAT is left alone.
 */
public final class DatabaseDirectory implements AutoCloseable {
    private static final String LOCK = "LOCK";
    private static final String LOG = "log";
    private static final String BASE = "base";
    private static final String COPIES = "copies";
    private static final Set<String> MADE_BEFORE_FORMAT = Set.of(LOCK, LOG, BASE, FormatFile.UNFINISHED);
    private static final int SEGMENT_BYTES = 1 << 24;

    private final Path path;
    private final LogFiles files;
    private final int segmentBytes;
    private final Closeable lock;

    private DatabaseDirectory(Path path, LogFiles files, int segmentBytes) throws IOException {
        this.path = path;
        this.files = files;
        this.segmentBytes = segmentBytes;
        this.lock = files.lock(path.resolve(LOCK));
    }

    /**
     * Opens a directory, and makes it, with its parents, if it is not there or empty.
     *
     * @throws DirectoryInUseException if it is open already, here or in another process
     * @throws UnknownFormatException if it is not a database, or one of another version
     * @throws CorruptStorageException if a part of it is missing
     * @throws DirectoryNotWritableException if it cannot be made or written
     * @throws StorageException for any other reason that the system has
     */
    public static DatabaseDirectory open(Path path) {
        return open(resolved(path), new SystemFiles(), SEGMENT_BYTES);
    }

    /**
     * The same place without dots: {@code ..} behind a symbolic link leads to where its target lies, as the system has
     * it.
     */
    private static Path resolved(Path given) {
        Path path = given.toAbsolutePath();
        Path resolved = path.getRoot();
        for (Path name : path) {
            String text = name.toString();
            if (text.equals("..")) {
                resolved = Objects.requireNonNullElse(real(resolved).getParent(), resolved);
            } else if (!text.equals(".")) {
                resolved = resolved.resolve(name);
            }
        }
        return resolved;
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException notThere) {
            return path;
        }
    }

    static DatabaseDirectory open(Path given, LogFiles files, int segmentBytes) {
        Path path = given.toAbsolutePath();
        try {
            makeDirectories(path, files);
            requireOurs(path, files);
            if (!files.isWritable(path)) {
                throw notWritable(path, "this user may not write there");
            }
            DatabaseDirectory directory = new DatabaseDirectory(path, files, segmentBytes);
            try {
                directory.checkOrComplete();
            } catch (IOException | RuntimeException e) {
                directory.close();
                throw e;
            }
            return directory;
        } catch (IOException e) {
            throw DiskErrors.whileOpening(files, path, e);
        }
    }

    private static void makeDirectories(Path path, LogFiles files) throws IOException {
        if (files.isDirectory(path)) {
            return;
        }
        if (files.exists(path)) {
            throw notWritable(path, "it is a file, not a directory");
        }
        Path parent = path.getParent();
        if (parent != null) {
            makeDirectories(parent, files);
            if (!files.isWritable(parent)) {
                throw notWritable(path, "it is not there, and this user may not make it in " + parent);
            }
            files.createDirectory(path);
        }
    }

    /** Looks before anything is touched, the lock included. */
    private static void requireOurs(Path path, LogFiles files) throws IOException {
        FormatFile format = new FormatFile(path, files);
        if (format.exists()) {
            format.check();
        } else if (!isUnfinished(path, files)) {
            throw new UnknownFormatException(
                    path + " is not empty, and not a database: it has no file " + FormatFile.NAME
                            + ". Nothing was touched." + " Open an empty directory, or one that is not there yet.",
                    path);
        }
    }

    private static boolean isUnfinished(Path path, LogFiles files) throws IOException {
        return MADE_BEFORE_FORMAT.containsAll(files.list(path))
                && names(path.resolve(BASE), files).isEmpty()
                && CommitLog.isAsCreated(names(path.resolve(LOG), files));
    }

    private static List<String> names(Path path, LogFiles files) throws IOException {
        return files.isDirectory(path) ? files.list(path) : List.of();
    }

    private void checkOrComplete() throws IOException {
        requireOurs(path, files);
        FormatFile format = new FormatFile(path, files);
        if (format.exists()) {
            requirePart(log());
            requirePart(base());
        } else {
            makeDirectories(base(), files);
            makeDirectories(log(), files);
            CommitLog.create(log(), files, segmentBytes);
            syncWithParents();
            format.write();
        }
    }

    /**
     * All that this user could have made, as a process that made some of it may have been killed before it could sync.
     */
    private void syncWithParents() throws IOException {
        for (Path made = path; made != null && files.isWritable(made); made = made.getParent()) {
            files.syncDirectory(made);
        }
    }

    private void requirePart(Path part) {
        if (!files.isDirectory(part)) {
            throw DiskErrors.corrupt(path, "its part " + part.getFileName() + " is missing");
        }
    }

    private static DirectoryNotWritableException notWritable(Path path, String why) {
        return new DirectoryNotWritableException(
                path + " cannot be a database: " + why + ". Name a directory that this user may write.", path, null);
    }

    /** Gives a directory that is closed, and on disk but for its name, another name, durably. */
    public static void rename(Path from, Path to) throws IOException {
        LogFiles files = new SystemFiles();
        files.syncDirectory(from);
        files.rename(from, to);
        files.syncDirectory(Objects.requireNonNull(to.getParent()));
    }

    /** {@return whether an error on a path has to do with a full disk} */
    public static boolean isFull(Path path, IOException error) {
        return new SystemFiles().isFull(path, error);
    }

    /** Makes durable which files a directory has. */
    public static void sync(Path directory) throws IOException {
        new SystemFiles().syncDirectory(directory);
    }

    /** Where the log is. */
    public Path log() {
        return path.resolve(LOG);
    }

    /** The directory of the base, which holds the batches that the log no longer has to keep. */
    public Path base() {
        return path.resolve(BASE);
    }

    /** Where backups keep copies of the base while they are written; not always there. */
    public Path copies() {
        return path.resolve(COPIES);
    }

    /**
     * Opens the log. It is to be closed before this directory.
     *
     * @param after the version up to which the records are no longer needed, because the base has them
     * @param executor makes files ahead of need; may be one that does it at once, or never
     * @param replay gets every record that is there; what it got is worth nothing if this throws
     * @throws CorruptStorageException if anything that was synced is damaged or missing; nothing was changed
     * @throws StorageException if the log cannot be read, or not be continued
     */
    public CommitLog openLog(long after, Executor executor, Replay replay) {
        return CommitLog.open(log(), after, files, segmentBytes, executor, replay);
    }

    /**
     * Fails if the directory was removed or replaced while it was open. Nothing may be written then: it would get into
     * what is there now, which may be another's.
     *
     * @throws StorageException if so, or if the system does not answer
     */
    public void requireInPlace() {
        try {
            files.checkLock();
        } catch (IOException e) {
            throw new StorageException(
                    "Nothing more is written to " + path + ": " + e.getMessage()
                            + ". What was committed is in the directory that was there before, and lost if that was"
                            + " removed. Find what removes the directory, and open it again in a new process.",
                    path,
                    e);
        }
    }

    /** Lets others have the directory. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new StorageException(path + " could not be unlocked: " + e + ". Nothing was lost.", path, e);
        }
    }
}
