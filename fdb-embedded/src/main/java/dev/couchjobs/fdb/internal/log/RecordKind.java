package dev.couchjobs.fdb.internal.log;

import org.jspecify.annotations.Nullable;

/** What a record is for. All but the first are marks: they have no payload and the version of the record before. */
enum RecordKind {
    COMMITS(0x7265632e),
    /** A process opened the log. There is one in the first segment of every log, so that none is empty. */
    OPENED(0x6f706e2e),
    /** The log was closed: whatever is missing or damaged before this was not lost by a crash. */
    CLOSED(0x636c732e),
    /** The next record is in the next segment. */
    SEGMENT_END(0x6e78742e);

    /** What such a record begins with; no byte of it is zero. */
    private final int magic;

    RecordKind(int magic) {
        this.magic = magic;
    }

    int magic() {
        return magic;
    }

    static @Nullable RecordKind ofMagic(int magic) {
        for (RecordKind kind : values()) {
            if (kind.magic == magic) {
                return kind;
            }
        }
        return null;
    }
}
