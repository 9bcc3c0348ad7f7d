package dev.couchjobs.fdb.internal.base;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * A file beside RocksDB's own that says up to which version everything is durable. RocksDB takes a manifest that lost
 * its end for one that was never longer, and a directory without a manifest for a new one; the mark distinguishes them.
 * It is written before RocksDB first runs in the directory and after every flush, so it never promises too much.
 */
final class DurableMark {
    private static final String FILE = "durable-version";
    private static final String WRITTEN = FILE + ".new";
    private static final Pattern FORMAT = Pattern.compile("base 1 durable (\\d{1,19}) ([0-9a-f]{8})\n");

    private final Path directory;
    private final StorageErrors errors;
    private long version;

    private DurableMark(StorageErrors errors, long version) {
        this.directory = errors.directory();
        this.errors = errors;
        this.version = version;
    }

    /** The mark of a directory that exists; an empty one is marked as new. */
    static DurableMark open(StorageErrors errors) throws IOException {
        return Files.exists(errors.directory().resolve(FILE)) ? read(errors) : create(errors);
    }

    long version() {
        return version;
    }

    void advance(long reached) {
        if (reached > version) {
            try {
                write(reached);
            } catch (IOException e) {
                throw errors.when("marking it as durable", e);
            }
            version = reached;
        }
    }

    private static DurableMark read(StorageErrors errors) throws IOException {
        String content = Files.readString(errors.directory().resolve(FILE), ISO_8859_1);
        Matcher matcher = FORMAT.matcher(content);
        if (!matcher.matches() || !content.equals(content(Long.parseLong(matcher.group(1))))) {
            throw errors.corrupt("its file " + FILE + " is not what this release has written", null);
        }
        return new DurableMark(errors, Long.parseLong(matcher.group(1)));
    }

    /** Marks a directory in which everything up to a version is durable. */
    static void create(StorageErrors errors, long version) throws IOException {
        new DurableMark(errors, version).write(version);
    }

    private static DurableMark create(StorageErrors errors) throws IOException {
        try (Stream<Path> files = Files.list(errors.directory())) {
            if (files.anyMatch(file -> !file.endsWith(WRITTEN))) {
                throw errors.corrupt("its file " + FILE + " is missing", null);
            }
        }
        DurableMark mark = new DurableMark(errors, 0);
        mark.write(0);
        return mark;
    }

    private void write(long reached) throws IOException {
        Path written = directory.resolve(WRITTEN);
        try (FileChannel channel = FileChannel.open(written, WRITE, CREATE, TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(content(reached).getBytes(ISO_8859_1)));
            channel.force(true);
        }
        Files.move(written, directory.resolve(FILE), ATOMIC_MOVE);
        syncDirectory();
    }

    /** Makes the new name last. Windows cannot open a directory, and does not need it. */
    private void syncDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(directory, READ)) {
            channel.force(true);
        } catch (AccessDeniedException e) {
            if (!System.getProperty("os.name").startsWith("Windows")) {
                throw e;
            }
        }
    }

    private static String content(long version) {
        String line = "base 1 durable " + version;
        CRC32C checksum = new CRC32C();
        checksum.update(line.getBytes(ISO_8859_1));
        return line + " " + String.format("%08x", checksum.getValue()) + "\n";
    }
}
