package dev.couchjobs.bench.soak;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** What a server process says, a line of JSON each. */
final class ServerReply {
    /** HdrHistogram does not decode a histogram without such a bound that has grown. */
    private static final long WAIT_MAX = TimeUnit.DAYS.toMillis(1);

    private static final int DIGITS = 2;

    private ServerReply() {}

    /**
     * The reply to {@value SoakServer#CHECK}.
     *
     * @param frontier see {@link EffectRows.Checked}
     * @param doubled likewise
     * @param waits the milliseconds that jobs have waited for their start, encoded; since the last check
     */
    record Check(long frontier, long doubled, String waits) {
        Histogram histogram() {
            return decoded(waits);
        }
    }

    /**
     * The reply to {@value SoakServer#CENSUS}.
     *
     * @param heap bytes in use after a collection
     * @param rows the number of rows below the prefix of the soak
     * @param bytes their keys and values
     * @param kinds the number of rows by the words with which their keys begin
     */
    record Census(long heap, long rows, long bytes, Map<String, Long> kinds) {}

    /**
     * The reply to {@value SoakServer#MISSING}.
     *
     * @param missing how many numbers have had no effect
     * @param unended how many jobs are there that have not ended
     */
    record Missing(long missing, long unended) {}

    static Recorder recorder() {
        return new Recorder(WAIT_MAX, DIGITS);
    }

    static Histogram histogram() {
        return new Histogram(WAIT_MAX, DIGITS);
    }

    /** Records a time, in milliseconds. */
    static void record(Recorder recorder, long wait) {
        recorder.recordValue(Math.min(wait, WAIT_MAX));
    }

    static String encoded(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_SPEED);
        byte[] bytes = new byte[length];
        buffer.flip().get(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static Histogram decoded(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), WAIT_MAX);
        } catch (DataFormatException e) {
            throw new IllegalStateException(e);
        }
    }
}
