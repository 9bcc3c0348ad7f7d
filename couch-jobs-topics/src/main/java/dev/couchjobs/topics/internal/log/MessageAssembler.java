package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.UndecodableMessageException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes messages of rows. A row that cannot be decoded becomes a message that says so, and stops no other. */
final class MessageAssembler {
    private final byte[] prefix;
    private final List<StoredMessage> messages;
    private long bytes;

    private @Nullable Versionstamp begun;
    private @Nullable FirstRow first;
    private ByteArrayOutputStream chunks = new ByteArrayOutputStream();

    /**
     * @param prefix of the stamps of the partition's messages
     * @param expected how many messages there probably are
     */
    MessageAssembler(byte[] prefix, int expected) {
        this.prefix = prefix;
        messages = new ArrayList<>(expected);
    }

    void add(KeyValue row) {
        bytes += row.getValue().length;
        Versionstamp stamp = LogKeys.stamp(prefix, row.getKey());
        if (LogKeys.isChunk(prefix, row.getKey())) {
            addChunk(stamp, row.getValue());
        } else {
            endIncomplete();
            begin(stamp, row.getValue());
        }
        endIfComplete();
    }

    private void begin(Versionstamp stamp, byte[] value) {
        try {
            FirstRow row = FirstRow.decode(value);
            if (row.bytesInChunks() == 0) {
                messages.add(new StoredMessage(stamp, row.message(), null));
                return;
            }
            first = row;
            begun = stamp;
            chunks = new ByteArrayOutputStream();
        } catch (IllegalArgumentException e) {
            addProblem(stamp, e);
        }
    }

    /** A chunk without a first row belongs to a message that cannot be decoded. */
    private void addChunk(Versionstamp stamp, byte[] value) {
        if (stamp.equals(begun)) {
            chunks.writeBytes(value);
        }
    }

    private void endIfComplete() {
        if (begun == null || first == null) {
            return;
        }
        if (chunks.size() == first.bytesInChunks()) {
            messages.add(new StoredMessage(begun, first.message().withValue(chunks.toByteArray()), null));
            forget();
        }
    }

    private void endIncomplete() {
        if (begun != null) {
            addProblem(begun, new IllegalArgumentException("parts of its value are missing"));
        }
    }

    private void addProblem(Versionstamp stamp, IllegalArgumentException cause) {
        String what = "The message at offset " + new Offset(stamp) + " cannot be decoded: " + cause.getMessage()
                + ". Skip it, or read it with the version of the library that wrote it.";
        messages.add(new StoredMessage(stamp, null, new UndecodableMessageException(what, cause)));
        forget();
    }

    private void forget() {
        begun = null;
        first = null;
    }

    /** {@return whether the rows so far end within a message} */
    boolean isWithinMessage() {
        return begun != null;
    }

    int count() {
        return messages.size();
    }

    long bytes() {
        return bytes;
    }

    /** {@return the messages, once there are no more rows} */
    List<StoredMessage> end() {
        endIncomplete();
        return messages;
    }

    /** {@return the messages that are complete} */
    List<StoredMessage> complete() {
        return messages;
    }
}
