package dev.couchjobs.fdb.internal.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The operating system's files. */
final class SystemFiles implements LogFiles {
    /** Less than a file system keeps back for itself, more than the smallest thing that is written. */
    private static final long NEXT_TO_NOTHING = 1 << 20;

    /** On Windows a directory cannot be opened, and need not be: NTFS logs its changes in order. */
    private static final boolean DIRECTORIES_CAN_BE_SYNCED =
            !System.getProperty("os.name", "").startsWith("Windows");

    private volatile @Nullable DirectoryLock lock;

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public boolean isWritable(Path directory) {
        return Files.isWritable(directory);
    }

    @Override
    public void createDirectory(Path path) throws IOException {
        Files.createDirectory(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Override
    public LogFile open(Path path) throws IOException {
        return SystemFile.open(path);
    }

    @Override
    public LogFile create(Path path) throws IOException {
        checkLock();
        return SystemFile.create(path);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        checkLock();
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(Path path) throws IOException {
        checkLock();
        Files.delete(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        if (DIRECTORIES_CAN_BE_SYNCED) {
            SystemFile.syncDirectory(directory);
        }
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        DirectoryLock acquired = DirectoryLock.acquire(path);
        lock = acquired;
        return acquired;
    }

    @Override
    public void checkLock() throws IOException {
        DirectoryLock held = lock;
        if (held != null) {
            held.checkInPlace();
        }
    }

    /** The system's words may be in the user's language, so the space that is left counts, too. */
    @Override
    public boolean isFull(Path path, IOException error) {
        String message = String.valueOf(error.getMessage());
        if (message.contains("No space left on device") || message.contains("quota exceeded")) {
            return true;
        }
        try {
            Path directory = path.toAbsolutePath().getParent();
            if (directory == null) {
                return false;
            }
            FileStore store = Files.getFileStore(directory);
            // What has no space at all, as /proc has none, is no disk.
            return store.getTotalSpace() > 0 && store.getUsableSpace() < NEXT_TO_NOTHING;
        } catch (IOException unknown) {
            return false;
        }
    }
}
