package dev.couchjobs.fdb.internal.log;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes what a crash may leave of records that were never synced from damage.
 *
 * @param image all bytes of a segment
 * @param end where its last intact record ends
 */
record TailCheck(HeaderCodec codec, ByteBuffer image, Segment segment, int end) {
    /** Where the last byte ends that is not zero; nothing was ever written behind it. */
    int lastTrace() {
        int trace = segment.size;
        while (trace - Long.BYTES >= end && image.getLong(trace - Long.BYTES) == 0) {
            trace -= Long.BYTES;
        }
        while (trace > end && image.get(trace - 1) == 0) {
            trace--;
        }
        return trace;
    }

    /**
     * Throws if the record behind the last intact one, of which there are traces, was damaged rather than lost.
     *
     * @param header its header, if that is intact
     */
    void requireLost(@Nullable RecordHeader header) {
        int start = SegmentLayout.startAfter(end);
        int proof = proofOfSync(start);
        if (proof >= 0) {
            throw DiskErrors.corrupt(
                    segment, start, "a record is damaged or gone that was synced before the one at byte " + proof);
        }
        if (header == null ? !looksLost(start) : !looksLost(start, header)) {
            throw DiskErrors.corrupt(
                    segment, start, "a record is damaged, and not in the way of a write that a crash cut off");
        }
    }

    /** The place of a record that was written when everything up to and including the damaged one was synced; or -1. */
    private int proofOfSync(int start) {
        for (int place = start + Long.BYTES; place <= segment.size - SegmentLayout.HEADER; place += Long.BYTES) {
            RecordHeader later = codec.read(image, segment.number, place);
            if (later != null && later.syncedTo() > start) {
                return place;
            }
        }
        return -1;
    }

    /** A header is lost together with the rest of its sector, or the write ended within it and wrote nothing more. */
    private boolean looksLost(int start) {
        return SegmentLayout.isZero(image, start, SegmentLayout.nextSector(start + 1))
                || SegmentLayout.isZero(image, start + SegmentLayout.HEADER, segment.size);
    }

    /** A sector is lost, or the write ended before the trailer. */
    private boolean looksLost(int start, RecordHeader header) {
        int recordEnd = (int) SegmentLayout.endOf(start, header.length());
        return SegmentLayout.zeroParts(image, start, recordEnd) > header.zeroSectors()
                || image.getInt(recordEnd - SegmentLayout.TRAILER) == 0;
    }
}
