package dev.couchjobs.fdb.internal.log;

import java.nio.ByteBuffer;

/**
 * Where things are in a segment. Its first sector is the segment's header; then come records: a header, the payload and
 * a trailer. A header never straddles two sectors, so a lost sector takes all of it or nothing.
 */
final class SegmentLayout {
    /** What disks write whole or not at all; those with larger sectors lose several of these at once. */
    static final int SECTOR = 512;

    static final int FIRST = SECTOR;
    static final int HEADER = 40;
    static final int TRAILER = 4;

    /** No byte of it is zero, so zeros in its place say that the write never got there. */
    static final int TRAILER_VALUE = 0x656e642e;

    /** Kept free behind every record: room for the mark of a clean end, in a sector of its own, and one more mark. */
    static final int RESERVE = 2 * SECTOR;

    private static final int ALIGNMENT = 8;
    /** What the first segment has; each one after it has twice as much as the one before, up to a limit. */
    private static final long FIRST_SEGMENT = 1 << 20;

    private static final long MAX_DOUBLINGS = 10;

    private SegmentLayout() {}

    /** A database that gets little written stays small, and is made quickly. */
    static int segmentSize(long number, int largest) {
        return (int) Math.min(largest, FIRST_SEGMENT << Math.min(number, MAX_DOUBLINGS));
    }

    /** Where the record begins that follows one that ends there. */
    static int startAfter(int end) {
        int start = (end + ALIGNMENT - 1) & -ALIGNMENT;
        int left = SECTOR - start % SECTOR;
        return left < HEADER ? start + left : start;
    }

    static int nextSector(int position) {
        return (position + SECTOR - 1) & -SECTOR;
    }

    static long endOf(int start, int length) {
        return (long) start + HEADER + length + TRAILER;
    }

    /** How long, in whole sectors, a segment has to be to hold a record. */
    static int segmentFor(int length) {
        return nextSector(Math.toIntExact(endOf(FIRST, length) + RESERVE));
    }

    /** How many whole sectors are zeros in a payload that lies at the given place. */
    static int zeroSectors(ByteBuffer payload, int place) {
        int first = payload.position() + nextSector(place) - place;
        int zeros = 0;
        for (int sector = first; sector <= payload.limit() - SECTOR; sector += SECTOR) {
            if (isZero(payload, sector, sector + SECTOR)) {
                zeros++;
            }
        }
        return zeros;
    }

    /** How many sectors hold nothing but zeros of what is between two places in a segment. */
    static int zeroParts(ByteBuffer image, int start, int end) {
        int zeros = 0;
        for (int part = start; part < end; part = nextSector(part + 1)) {
            if (isZero(image, part, Math.min(end, nextSector(part + 1)))) {
                zeros++;
            }
        }
        return zeros;
    }

    static boolean isZero(ByteBuffer bytes, int start, int end) {
        int at = start;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            if (bytes.getLong(at) != 0) {
                return false;
            }
        }
        for (; at < end; at++) {
            if (bytes.get(at) != 0) {
                return false;
            }
        }
        return true;
    }
}
