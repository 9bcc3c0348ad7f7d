package dev.couchjobs.fdb.internal.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads a log from its beginning to where it ends, and changes nothing. {@link CommitLog} has the rules. */
final class LogRecovery {
    /**
     * What was found.
     *
     * @param used the segments with records, or about to get some; the last is the one to go on in
     * @param spare an unused segment behind them
     * @param lastTrace where the remains of lost records end that lie behind the last intact one
     */
    record Result(List<Segment> used, @Nullable Segment spare, int lastTrace) {}

    private final HeaderCodec codec = new HeaderCodec();
    private final CRC32C checksum = new CRC32C();
    private final List<Segment> segments;
    private final long after;
    private final Replay replay;
    private ByteBuffer image = ByteBuffer.allocate(0);
    private boolean begun;
    private long lastVersion;

    LogRecovery(List<Segment> segments, long after, Replay replay) {
        this.segments = segments;
        this.after = after;
        this.replay = replay;
    }

    Result run() throws IOException {
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            readImage(segment);
            if (!replay(segment)) {
                TailCheck tail = new TailCheck(codec, image, segment, segment.end);
                int lastTrace = tail.lastTrace();
                if (lastTrace > segment.end) {
                    tail.requireLost(codec.read(image, segment.number, SegmentLayout.startAfter(segment.end)));
                }
                return new Result(segments.subList(0, i + 1), unused(segment, i + 1), lastTrace);
            }
        }
        Segment last = segments.get(segments.size() - 1);
        throw DiskErrors.corrupt(
                last.path.resolveSibling(SegmentStore.name(last.number + 1)),
                "it is missing, and " + last.path.getFileName() + " says that it was there");
    }

    private void readImage(Segment segment) throws IOException {
        if (image.capacity() < segment.size) {
            image = ByteBuffer.allocate(segment.size);
        }
        image.clear().limit(segment.size);
        segment.file.readFully(image, 0);
        image.flip();
    }

    /** Whether the segment is complete, so that the log goes on in the next. */
    private boolean replay(Segment segment) {
        while (true) {
            int start = nextStart(segment);
            RecordHeader header = codec.read(image, segment.number, start);
            if (header == null || !isIntact(segment, start, header)) {
                if (!begun) {
                    throw DiskErrors.corrupt(segment, start, "there should be the first record of the log");
                }
                segment.lastVersion = lastVersion;
                return false;
            }
            requireOrder(segment, start, header);
            segment.end = (int) SegmentLayout.endOf(start, header.length());
            segment.synced = header.syncedTo();
            segment.lastVersion = header.version();
            lastVersion = header.version();
            if (header.kind() == RecordKind.SEGMENT_END) {
                return true;
            }
            if (header.kind() == RecordKind.COMMITS) {
                replay.record(header.version(), payload(start, header));
            }
        }
    }

    /** The mark of a clean end has a sector of its own, and says that nothing is missing before it. */
    private int nextStart(Segment segment) {
        int sector = SegmentLayout.nextSector(segment.end);
        if (SegmentLayout.isZero(image, segment.end, sector)) {
            RecordHeader mark = codec.read(image, segment.number, sector);
            if (mark != null && mark.kind() == RecordKind.CLOSED && mark.syncedTo() == segment.end) {
                return sector;
            }
        }
        return SegmentLayout.startAfter(segment.end);
    }

    private boolean isIntact(Segment segment, int start, RecordHeader header) {
        if (header.length() < 0 || SegmentLayout.endOf(start, header.length()) > segment.size) {
            throw DiskErrors.corrupt(segment, start, "a record claims to have " + header.length() + " bytes");
        }
        checksum.reset();
        checksum.update(payload(start, header));
        return (int) checksum.getValue() == header.payloadChecksum();
    }

    private ByteBuffer payload(int start, RecordHeader header) {
        return image.slice(start + SegmentLayout.HEADER, header.length());
    }

    private void requireOrder(Segment segment, int start, RecordHeader header) {
        if (!begun) {
            begun = true;
            lastVersion = header.previous();
            if (lastVersion > after) {
                throw DiskErrors.corrupt(
                        segment,
                        start,
                        "the log begins after version " + lastVersion + ", and what came between version " + after
                                + " and that is missing");
            }
        }
        boolean increases = header.version() > header.previous();
        if (header.previous() != lastVersion || increases != (header.kind() == RecordKind.COMMITS)) {
            throw DiskErrors.corrupt(
                    segment,
                    start,
                    "version " + header.version() + " says that it follows " + header.previous() + ", but follows "
                            + lastVersion);
        }
    }

    /**
     * One segment may be there ahead of need. That there is more, or something in it, says that the one before was
     * full.
     */
    private @Nullable Segment unused(Segment current, int index) throws IOException {
        if (index == segments.size()) {
            return null;
        }
        Segment spare = segments.get(index);
        readImage(spare);
        if (index + 1 < segments.size() || !SegmentLayout.isZero(image, SegmentLayout.FIRST, spare.size)) {
            throw DiskErrors.corrupt(
                    current,
                    SegmentLayout.startAfter(current.end),
                    "the log should go on, as it does so in " + spare.path.getFileName());
        }
        return spare;
    }
}
