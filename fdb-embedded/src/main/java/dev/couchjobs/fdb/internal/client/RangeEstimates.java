package dev.couchjobs.fdb.internal.client;

import com.apple.foundationdb.KeyArrayResult;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.versions.Contents;
import java.util.ArrayList;
import java.util.List;

/** Answers about the size of a range of the contents; a cluster only estimates. */
final class RangeEstimates {
    private final Contents contents;

    RangeEstimates(Contents contents) {
        this.contents = contents;
    }

    long bytes(byte[] begin, byte[] end) {
        if (Bytes.less(end, begin)) {
            throw FdbError.INVERTED_RANGE.exception();
        }
        return contents.bytes(begin, end);
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
        if (Bytes.less(begin, end)) {
            points.addAll(contents.splitPoints(begin, end, chunkSize));
        }
        points.add(end);
        int[] lengths = points.stream().mapToInt(key -> key.length).toArray();
        return new KeyArrayResult(ByteArrayUtil.join(points.toArray(new byte[0][])), lengths);
    }
}
