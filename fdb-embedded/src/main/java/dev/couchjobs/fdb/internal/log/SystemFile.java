package dev.couchjobs.fdb.internal.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of the operating system that any thread may use, as an interrupt does nothing to it: it would close a
 * {@code FileChannel} under the user's thread that commits. So bytes go through a {@code RandomAccessFile}, whose own
 * sync writes the metadata as well, and syncing through an {@code AsynchronousFileChannel}, on the calling thread. The
 * system syncs a file as a whole, and reports lost writes to all that had it open then, so it does not matter that
 * these are two.
 */
final class SystemFile implements LogFile {
    /** No more than this is copied on its way. */
    private static final int PIECE = 1 << 18;

    private final Path path;
    private final RandomAccessFile file;
    private final AsynchronousFileChannel syncing;

    private SystemFile(Path path, RandomAccessFile file, AsynchronousFileChannel syncing) {
        this.path = path;
        this.file = file;
        this.syncing = syncing;
    }

    static SystemFile open(Path path) throws IOException {
        return with(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Empty, whether or not it was there. */
    static SystemFile create(Path path) throws IOException {
        return with(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    private static SystemFile with(Path path, OpenOption... options) throws IOException {
        AsynchronousFileChannel syncing = AsynchronousFileChannel.open(path, options);
        try {
            return new SystemFile(path, new RandomAccessFile(path.toFile(), "rw"), syncing);
        } catch (IOException | RuntimeException | Error e) {
            syncing.close();
            throw e;
        }
    }

    /** Makes durable which files a directory has. */
    static void syncDirectory(Path directory) throws IOException {
        try (AsynchronousFileChannel syncing = AsynchronousFileChannel.open(directory, StandardOpenOption.READ)) {
            syncing.force(true);
        }
    }

    @Override
    public long size() throws IOException {
        return file.length();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        byte[] piece = new byte[Math.min(PIECE, target.remaining())];
        file.seek(position);
        int count = file.read(piece);
        if (count > 0) {
            target.put(piece, 0, count);
        }
        return count;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        byte[] piece = new byte[Math.min(PIECE, source.remaining())];
        source.get(piece);
        file.seek(position);
        file.write(piece);
        return piece.length;
    }

    @Override
    public void force() throws IOException {
        SyncEvent event = new SyncEvent();
        event.begin();
        syncing.force(false);
        event.end();
        if (event.shouldCommit()) {
            event.path = path.toString();
            event.commit();
        }
    }

    @Override
    public void close() throws IOException {
        try (syncing) {
            file.close();
        }
    }
}
