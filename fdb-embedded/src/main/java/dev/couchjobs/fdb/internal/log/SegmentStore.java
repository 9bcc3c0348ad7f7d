package dev.couchjobs.fdb.internal.log;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The segment files of a log. A segment gets its name when it is complete: of its full size, filled with zeros, synced.
 * So one that is shorter, or whose header is wrong, was damaged later. The zeros also make appending cheap: a write
 * into blocks that are there changes no metadata, and syncing it takes one write of the device rather than several.
 */
final class SegmentStore {
    private static final String SUFFIX = ".log";
    private static final String UNFINISHED = ".new";
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}\\.log");

    private final Path directory;
    private final LogFiles files;

    SegmentStore(Path directory, LogFiles files) {
        this.directory = directory;
        this.files = files;
    }

    Path directory() {
        return directory;
    }

    LogFiles files() {
        return files;
    }

    static String name(long number) {
        return HexFormat.of().toHexDigits(number) + SUFFIX;
    }

    /** Makes a segment, replacing an unused one of that number. If that fails, nothing of it is left. */
    Segment create(long number, int size) throws IOException {
        return create(number, size, ByteBuffer.allocate(0));
    }

    /** Makes a segment that begins with the given record. */
    Segment create(long number, int size, ByteBuffer firstRecord) throws IOException {
        Path path = directory.resolve(name(number));
        Path unfinished = directory.resolve(name(number) + UNFINISHED);
        try {
            try (LogFile file = files.create(unfinished)) {
                Zeros.write(file, 0, size);
                ByteBuffer head = ByteBuffer.allocate(SegmentLayout.SECTOR + firstRecord.remaining());
                new SegmentHeader(number, size).write(head);
                file.writeFully(head.put(firstRecord).flip(), 0);
                file.force();
            }
            files.rename(unfinished, path);
            files.syncDirectory(directory);
            return new Segment(number, size, path, files.open(path));
        } catch (IOException | RuntimeException e) {
            discard(unfinished, e);
            throw e;
        }
    }

    private void discard(Path unfinished, Exception reason) {
        try {
            if (files.exists(unfinished)) {
                files.delete(unfinished);
            }
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    /** Opens all segments, in order, and sees that none between them is missing. */
    List<Segment> open() throws IOException {
        List<Segment> segments = new ArrayList<>();
        try {
            for (String name : files.list(directory)) {
                if (NAME.matcher(name).matches()) {
                    segments.add(open(name, segments.isEmpty() ? null : segments.get(segments.size() - 1)));
                }
            }
        } catch (IOException | RuntimeException e) {
            segments.forEach(SegmentStore::close);
            throw e;
        }
        if (segments.isEmpty()) {
            throw DiskErrors.corrupt(directory, "it should hold the log but holds no file of it");
        }
        return segments;
    }

    private Segment open(String name, @Nullable Segment before) throws IOException {
        long number = HexFormat.fromHexDigitsToLong(name, 0, name.length() - SUFFIX.length());
        if (before != null && number != before.number + 1) {
            throw DiskErrors.corrupt(directory, "the file " + name(before.number + 1) + " is missing");
        }
        Path path = directory.resolve(name);
        LogFile file = files.open(path);
        try {
            return new Segment(number, checkedSize(file, path, number), path, file);
        } catch (IOException | CorruptStorageException e) {
            file.close();
            throw e;
        }
    }

    private static int checkedSize(LogFile file, Path path, long number) throws IOException {
        long size = file.size();
        if (size < SegmentLayout.SECTOR) {
            throw DiskErrors.corrupt(path, "it ends at byte " + size + ", within its header");
        }
        ByteBuffer sector = ByteBuffer.allocate(SegmentLayout.SECTOR);
        file.readFully(sector, 0);
        SegmentHeader header = SegmentHeader.read(sector);
        if (header == null) {
            throw DiskErrors.corrupt(
                    path, "its header, the first " + SegmentLayout.SECTOR + " bytes, is not as it was written");
        }
        if (header.number() != number) {
            throw DiskErrors.corrupt(path, "it is " + name(header.number()) + " under another name");
        }
        if (header.size() != size) {
            throw DiskErrors.corrupt(path, "it has " + size + " bytes and should have " + header.size());
        }
        return header.size();
    }

    /**
     * Removes what a crash left of segments that were being made, and makes durable that the finished ones are there.
     */
    void settleFiles() throws IOException {
        for (String name : files.list(directory)) {
            if (name.endsWith(SUFFIX + UNFINISHED)) {
                files.delete(directory.resolve(name));
            }
        }
        files.syncDirectory(directory);
    }

    /**
     * Syncs what was read but may not have been synced. It is written once more before: if a sync had failed, the
     * system may hold for clean what it could not write, and would sync nothing.
     */
    void resync(Segment segment) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(segment.end - segment.synced);
        segment.file.readFully(bytes, segment.synced);
        segment.file.writeFully(bytes.flip(), segment.synced);
        segment.file.force();
        segment.synced = segment.end;
    }

    /**
     * Puts zeros where something is left of lost records, and syncs that. The sector with the first of their headers
     * comes last, and in one piece: wherever this is cut off, what is left still looks lost.
     */
    void wipe(Segment segment, int lastTrace) throws IOException {
        int start = SegmentLayout.startAfter(segment.end);
        int sectorEnd = SegmentLayout.nextSector(start + 1);
        Zeros.write(segment.file, sectorEnd, lastTrace);
        Zeros.write(segment.file, start, sectorEnd);
        segment.file.force();
    }

    /** Durable on return, so that a crash never leaves a gap between the segments that remain. */
    void delete(Segment segment) throws IOException {
        segment.file.close();
        files.delete(segment.path);
        files.syncDirectory(directory);
    }

    /** What matters was synced before; there is nothing to be done about a file that does not close. */
    static void close(Segment segment) {
        try {
            segment.file.close();
        } catch (IOException ignored) {
            // See above.
        }
    }
}
