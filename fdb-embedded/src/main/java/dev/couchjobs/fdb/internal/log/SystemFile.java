package dev.couchjobs.fdb.internal.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file of the operating system. */
final class SystemFile implements LogFile {
    /** For a heap buffer the channel makes a direct one of what it is given, and keeps it for as long as the thread lives. */
    private static final int PIECE = 1 << 18;

    private final FileChannel channel;

    SystemFile(FileChannel channel) {
        this.channel = channel;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int end = target.limit();
        target.limit(Math.min(end, target.position() + PIECE));
        try {
            return channel.read(target, position);
        } finally {
            target.limit(end);
        }
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        int end = source.limit();
        source.limit(Math.min(end, source.position() + PIECE));
        try {
            return channel.write(source, position);
        } finally {
            source.limit(end);
        }
    }

    @Override
    public void force() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
