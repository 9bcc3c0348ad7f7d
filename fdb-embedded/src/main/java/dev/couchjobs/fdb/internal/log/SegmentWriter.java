package dev.couchjobs.fdb.internal.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Appends to one segment after the other, through one buffer: records gather in it and are written by one call.
 *
 * <p>A record that does not fit is written in pieces that end where a sector ends. So of any sector of an unsynced
 * record the disk has either all bytes or, still, only what was there before the record. Should the system by itself
 * write less than it was asked to, up to somewhere within a sector, and the power go before the rest has followed, a
 * record that was lost may be refused as damaged; never the other way round.
 */
final class SegmentWriter {
    private static final int LARGEST_BUFFER = 1 << 18;

    private final ByteBuffer buffer;
    private final HeaderCodec codec = new HeaderCodec();
    private final CRC32C checksum = new CRC32C();
    private Segment segment;
    private int written;

    SegmentWriter(Segment segment) {
        this.segment = segment;
        this.buffer = ByteBuffer.allocate(Math.min(LARGEST_BUFFER, segment.size));
        begin(segment);
    }

    /** Goes on in another segment. */
    void begin(Segment next) {
        segment = next;
        written = next.end;
        prepareBuffer();
    }

    /** The first record of a new log. */
    static ByteBuffer opened() {
        RecordHeader header = new RecordHeader(RecordKind.OPENED, 0, 0, 0, SegmentLayout.FIRST, 0, 0);
        ByteBuffer record = ByteBuffer.allocate(SegmentLayout.HEADER + SegmentLayout.TRAILER);
        new HeaderCodec().write(header, 0, SegmentLayout.FIRST, record);
        return record.putInt(SegmentLayout.TRAILER_VALUE).flip();
    }

    private void prepareBuffer() {
        buffer.clear().limit(buffer.capacity() - written % SegmentLayout.SECTOR);
    }

    Segment segment() {
        return segment;
    }

    boolean isSynced() {
        return segment.synced == segment.end;
    }

    /** Appends a record that the segment has room for. */
    void append(RecordKind kind, long version, ByteBuffer payload) throws IOException {
        int start = kind == RecordKind.CLOSED
                ? SegmentLayout.nextSector(segment.end)
                : SegmentLayout.startAfter(segment.end);
        int length = payload.remaining();
        put(0, start - segment.end);
        makeRoom();
        codec.write(header(kind, version, payload, start), segment.number, start, buffer);
        put(payload);
        putTrailer();
        segment.end = (int) SegmentLayout.endOf(start, length);
        segment.lastVersion = version;
    }

    private RecordHeader header(RecordKind kind, long version, ByteBuffer payload, int start) {
        int zeroSectors = SegmentLayout.zeroSectors(payload, start + SegmentLayout.HEADER);
        int position = payload.position();
        checksum.reset();
        checksum.update(payload);
        payload.position(position);
        return new RecordHeader(
                kind, payload.remaining(), version, segment.lastVersion, segment.synced, zeroSectors, (int)
                        checksum.getValue());
    }

    private void putTrailer() throws IOException {
        for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            put((byte) (SegmentLayout.TRAILER_VALUE >>> shift), 1);
        }
    }

    private void put(int value, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            makeRoom();
            buffer.put((byte) value);
        }
    }

    private void put(ByteBuffer bytes) throws IOException {
        int end = bytes.limit();
        while (bytes.position() < end) {
            makeRoom();
            bytes.limit(Math.min(end, bytes.position() + buffer.remaining()));
            buffer.put(bytes);
            bytes.limit(end);
        }
    }

    /** A header needs no more than this, as neither it nor the buffer's end straddles a sector. */
    private void makeRoom() throws IOException {
        if (!buffer.hasRemaining()) {
            write();
        }
    }

    private void write() throws IOException {
        int length = buffer.flip().remaining();
        segment.file.writeFully(buffer, written);
        written += length;
        prepareBuffer();
    }

    /** Hands to the system what it does not have yet. */
    void flush() throws IOException {
        if (buffer.position() > 0) {
            write();
        }
    }

    void sync() throws IOException {
        if (!isSynced()) {
            write();
            segment.file.force();
            segment.synced = segment.end;
        }
    }
}
