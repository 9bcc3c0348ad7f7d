package dev.couchjobs.fdb.internal.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The first sector of a segment: what the file is, which one, and how long. */
record SegmentHeader(long number, int size) {
    private static final byte[] MAGIC = "fdb-embedded log".getBytes(StandardCharsets.US_ASCII);
    private static final int FORMAT = 1;
    private static final int CHECKED = SegmentLayout.SECTOR - Integer.BYTES;

    void write(ByteBuffer sector) {
        int start = sector.position();
        sector.put(MAGIC).putInt(FORMAT).putLong(number).putInt(size);
        while (sector.position() < start + CHECKED) {
            sector.put((byte) 0);
        }
        sector.putInt(checksum(sector, start));
    }

    /** Null if this is not such a sector, or not as it was written. */
    static @Nullable SegmentHeader read(ByteBuffer sector) {
        byte[] magic = new byte[MAGIC.length];
        sector.get(0, magic);
        int at = MAGIC.length;
        boolean whole = Arrays.equals(magic, MAGIC)
                && sector.getInt(at) == FORMAT
                && sector.getInt(CHECKED) == checksum(sector, 0);
        return whole ? new SegmentHeader(sector.getLong(at + 4), sector.getInt(at + 12)) : null;
    }

    private static int checksum(ByteBuffer sector, int start) {
        CRC32C checksum = new CRC32C();
        checksum.update(sector.slice(start, CHECKED));
        return (int) checksum.getValue();
    }
}
