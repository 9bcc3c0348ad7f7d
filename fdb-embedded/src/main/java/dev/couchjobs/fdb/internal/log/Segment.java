package dev.couchjobs.fdb.internal.log;

import java.nio.file.Path;

/** One file of the log, complete from the moment it has its name. Its number is its place in the log. */
final class Segment {
    final long number;
    final int size;
    final Path path;
    final LogFile file;

    /** Where the last record ends. */
    int end = SegmentLayout.FIRST;

    /** Up to where it is known to be synced. */
    int synced = SegmentLayout.FIRST;

    /** The version of the last record in it or before it. */
    long lastVersion;

    Segment(long number, int size, Path path, LogFile file) {
        this.number = number;
        this.size = size;
        this.path = path;
        this.file = file;
    }

    /** Back to where it was before it was read. */
    void rewind() {
        end = SegmentLayout.FIRST;
        synced = SegmentLayout.FIRST;
        lastVersion = 0;
    }

    boolean hasRoomFor(int length) {
        return SegmentLayout.endOf(SegmentLayout.startAfter(end), length) + SegmentLayout.RESERVE <= size;
    }
}
