package dev.couchjobs.fdb.internal.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads record headers. The checksum of a header covers the place where it stands, so a header that got
 * somewhere else, by way of a payload or a misdirected write, is none. For one thread at a time.
 */
final class HeaderCodec {
    private static final int PLACE = Long.BYTES + Integer.BYTES;
    private static final int CHECKED = PLACE + SegmentLayout.HEADER - Integer.BYTES;

    private final ByteBuffer scratch = ByteBuffer.allocate(PLACE + SegmentLayout.HEADER);
    private final CRC32C checksum = new CRC32C();

    void write(RecordHeader header, long segment, int place, ByteBuffer target) {
        scratch.clear()
                .putLong(segment)
                .putInt(place)
                .putInt(header.kind().magic())
                .putInt(header.length())
                .putLong(header.version())
                .putLong(header.previous())
                .putInt(header.syncedTo())
                .putInt(header.zeroSectors())
                .putInt(header.payloadChecksum());
        scratch.putInt(check()).flip().position(PLACE);
        target.put(scratch);
    }

    /** The header at that place of a segment; null if there is none that is whole. */
    @Nullable RecordHeader read(ByteBuffer image, long segment, int place) {
        if (place > image.limit() - SegmentLayout.HEADER) {
            return null;
        }
        RecordKind kind = RecordKind.ofMagic(image.getInt(place));
        if (kind == null) {
            return null;
        }
        scratch.clear().putLong(segment).putInt(place);
        scratch.put(scratch.position(), image, place, SegmentLayout.HEADER).position(PLACE + Integer.BYTES);
        RecordHeader header = new RecordHeader(
                kind,
                scratch.getInt(),
                scratch.getLong(),
                scratch.getLong(),
                scratch.getInt(),
                scratch.getInt(),
                scratch.getInt());
        return scratch.getInt() == check() ? header : null;
    }

    private int check() {
        checksum.reset();
        checksum.update(scratch.array(), 0, CHECKED);
        return (int) checksum.getValue();
    }
}
