package dev.couchjobs.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The baseline: one writer that appends rows to a preallocated file, and syncs after each. */
final class BaselineStore implements BenchmarkStore {
    private static final int FILE_BYTES = 16 << 20;

    private final FileChannel file;
    private final ByteBuffer row = ByteBuffer.allocateDirect(Data.KEY_BYTES + Data.VALUE_BYTES);
    private long position;

    BaselineStore(Path directory) {
        try {
            Files.createDirectories(directory);
            file = FileChannel.open(
                    directory.resolve("file"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            ByteBuffer zeros = ByteBuffer.allocate(FILE_BYTES);
            while (zeros.hasRemaining()) {
                file.write(zeros, zeros.position());
            }
            file.force(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void put(byte[] key, byte[] value) {
        row.clear().put(key).put(value).flip();
        if (position + row.limit() > FILE_BYTES) {
            position = 0;
        }
        try {
            while (row.hasRemaining()) {
                position += file.write(row, position);
            }
            file.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the last value put, for any key. */
    @Override
    public synchronized byte @Nullable [] get(byte[] key) {
        ByteBuffer last = ByteBuffer.allocate(Data.KEY_BYTES + Data.VALUE_BYTES);
        try {
            file.read(last, position - last.capacity());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] value = new byte[Data.VALUE_BYTES];
        last.get(Data.KEY_BYTES, value);
        return value;
    }

    @Override
    public void load(long keys) {}

    @Override
    public void increment(byte[] key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void add(byte[] key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long counter(byte[] key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int range(byte[] from, int rows) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void append(byte[] value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void watch(byte[] key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
