package dev.couchjobs.fdb.embedded;

import com.apple.foundationdb.KeyArrayResult;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.ArrayList;
import java.util.List;

/** Answers about the size of a range of the committed data; exact here, but a cluster only estimates. */
final class RangeEstimates {
    private final OrderedMap<byte[]> data;

    RangeEstimates(OrderedMap<byte[]> data) {
        this.data = data;
    }

    long bytes(byte[] begin, byte[] end) {
        if (Bytes.less(end, begin)) {
            throw FdbError.INVERTED_RANGE.exception();
        }
        return data.summary(begin, end);
    }

    /** The range's begin and end, and between them keys that cut it into chunks of about that size. */
    KeyArrayResult splitPoints(byte[] begin, byte[] end, long chunkSize) {
        if (Bytes.less(end, begin)) {
            throw FdbError.INVERTED_RANGE.exception();
        }
        if (chunkSize <= 0) {
            throw FdbError.CLIENT_INVALID_OPERATION.exception("a chunk size of " + chunkSize + " bytes");
        }
        List<byte[]> points = new ArrayList<>();
        points.add(begin);
        byte[] point = nextPoint(begin, end, chunkSize);
        while (Bytes.less(point, end)) {
            points.add(point);
            point = nextPoint(point, end, chunkSize);
        }
        points.add(end);
        int[] lengths = points.stream().mapToInt(key -> key.length).toArray();
        return new KeyArrayResult(ByteArrayUtil.join(points.toArray(new byte[0][])), lengths);
    }

    /** The last key that keeps the chunk from {@code from} within the size, but at least the second one. */
    private byte[] nextPoint(byte[] from, byte[] end, long chunkSize) {
        int least = data.rank(from) + 1;
        int most = data.rank(end);
        if (data.summary(from, end) <= chunkSize || least >= most) {
            return end;
        }
        while (least < most) {
            int middle = (least + most) >>> 1;
            if (data.summary(from, data.select(middle).key) <= chunkSize) {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        return data.select(Math.max(data.rank(from) + 1, least - 1)).key;
    }
}
