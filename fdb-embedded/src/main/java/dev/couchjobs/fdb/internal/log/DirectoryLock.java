package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lock on a directory: a locked file, which also says, for humans, who holds it.
 *
 * <p>A process that closes any descriptor of a file loses its locks on that file (POSIX), so the second to come in the
 * process that holds the lock must not even open it.
 */
final class DirectoryLock implements Closeable {
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /** What is locked lies behind the text, which others can thus read even where locks are mandatory. */
    private static final long LOCKED_BYTE = Long.MAX_VALUE - 1;

    private static final int TEXT_LIMIT = 4096;

    private final Path file;
    private final Path directory;
    private final FileChannel channel;
    /** Identifies the file, whatever its name; null where the system has no such identity. */
    private final @Nullable Object identity;

    private DirectoryLock(Path file, Path directory, FileChannel channel, @Nullable Object identity) {
        this.file = file;
        this.directory = directory;
        this.channel = channel;
        this.identity = identity;
    }

    static DirectoryLock acquire(Path file) throws IOException {
        Path directory = file.toAbsolutePath().resolveSibling("").toRealPath();
        if (!HELD.add(directory)) {
            throw inUse(file, "this very process");
        }
        try {
            FileChannel channel = lockedChannel(file);
            try {
                return new DirectoryLock(file, directory, channel, identityOf(file));
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            HELD.remove(directory);
            throw e;
        }
    }

    private static @Nullable Object identityOf(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** Fails if what lies at the path of the lock is not the file that is locked. */
    void checkInPlace() throws IOException {
        try {
            if (Objects.equals(identity, identityOf(file))) {
                return;
            }
        } catch (NoSuchFileException | NotDirectoryException removed) {
            throw replaced(removed);
        }
        throw replaced(null);
    }

    private IOException replaced(@Nullable IOException cause) {
        return new IOException(directory + " was removed or replaced while it was open", cause);
    }

    private static FileChannel lockedChannel(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        try {
            if (channel.tryLock(LOCKED_BYTE, 1, false) == null) {
                throw inUse(file, holder(channel));
            }
            writeText(channel, thisProcess());
            return channel;
        } catch (OverlappingFileLockException e) {
            // Held through another class loader; see above for why the channel stays open.
            throw inUse(file, "this very process");
        } catch (IOException | DirectoryInUseException e) {
            channel.close();
            throw e;
        }
    }

    private static DirectoryInUseException inUse(Path file, String holder) {
        return new DirectoryInUseException(
                file.getParent() + " is in use by " + holder
                        + ". A directory is for one JVM; two need a cluster. Close the database there, or open another"
                        + " directory. Where a new process takes over from an old one, let the opening wait.",
                file);
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(TEXT_LIMIT);
        channel.read(text, 0);
        String holder = StandardCharsets.UTF_8.decode(text.flip()).toString().trim();
        return holder.isEmpty() ? "another process, which has not written its name yet" : holder;
    }

    private static void writeText(FileChannel channel, String text) throws IOException {
        channel.truncate(0);
        channel.write(StandardCharsets.UTF_8.encode(text), 0);
    }

    /** The program and its main class, but no arguments: these may hold secrets. */
    private static String thisProcess() {
        ProcessHandle process = ProcessHandle.current();
        String mainClass = System.getProperty("sun.java.command", "").split(" ", 2)[0];
        return "process " + process.pid()
                + process.info()
                        .startInstant()
                        .map(start -> ", started " + start)
                        .orElse("")
                + process.info()
                        .command()
                        .map(command -> ", running " + command + " " + mainClass)
                        .orElse("");
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            channel.truncate(0);
        } finally {
            HELD.remove(directory);
        }
    }
}
