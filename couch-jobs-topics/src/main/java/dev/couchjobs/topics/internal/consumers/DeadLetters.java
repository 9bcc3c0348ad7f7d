package dev.couchjobs.topics.internal.consumers;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.internal.groups.Source;
import dev.couchjobs.topics.internal.groups.Source.Next;
import dev.couchjobs.topics.internal.log.LogWriter.Placed;
import dev.couchjobs.topics.internal.log.MessageRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import dev.couchjobs.topics.internal.messages.AppendCall;
import dev.couchjobs.topics.internal.messages.PartitionChooser;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The topic that takes messages which have failed too often. */
public record DeadLetters(TopicTable table, String topicName) {
    private static final int ERROR_CHARS_MAX = 1_000;

    /** Where a message comes from, and what has failed. */
    record Origin(String topicName, int partition, String group, int failures, Throwable cause) {}

    /** Fails unless the topic is there, and takes messages without a key. */
    CompletableFuture<Void> check(ReadTransaction tx) {
        return table.get(tx, topicName).thenAccept(row -> {
            if (row.settings().compactAfter().isPresent()) {
                throw new IllegalArgumentException("Topic \"" + topicName + "\" is compacted, and cannot take dead"
                        + " letters: those of a key would remove each other.");
            }
        });
    }

    /** Moves the group behind a message, and appends the message to this topic, in one transaction. */
    CompletableFuture<Void> move(Transaction tx, Source source, Next failed, Origin origin, Instant now) {
        return source.commit(tx, failed).thenCompose(moved -> {
            if (!moved) {
                return CompletableFuture.completedFuture(null); // an earlier try has committed
            }
            MessageRow letter = letter(failed, origin, now);
            return new AppendCall(
                            table,
                            topicName,
                            row -> List.of(new Placed(
                                    place(letter.key(), origin, row.settings().partitions()), letter)),
                            now)
                    .join(tx)
                    .thenAccept(appended -> {});
        });
    }

    private static int place(@Nullable String key, Origin origin, int partitions) {
        return key == null ? origin.partition() % partitions : PartitionChooser.ofKey(key, partitions);
    }

    private static MessageRow letter(Next failed, Origin origin, Instant now) {
        MessageRow row = failed.messages().get(0).row();
        Map<String, String> headers = new LinkedHashMap<>(row == null ? Map.of() : row.headers());
        headers.put("dead-letter-topic", origin.topicName());
        headers.put("dead-letter-partition", String.valueOf(origin.partition()));
        headers.put("dead-letter-offset", new Offset(failed.messages().get(0).stamp()).toString());
        headers.put("dead-letter-group", origin.group());
        headers.put("dead-letter-failures", String.valueOf(origin.failures()));
        headers.put("dead-letter-error", shortened(String.valueOf(origin.cause())));
        return new MessageRow(0, now, row == null ? null : row.key(), headers, value(row)).checkedDeadLetter();
    }

    /** A topic for dead letters need not be compacted: a deletion is there as an empty value. */
    private static byte[] value(@Nullable MessageRow row) {
        byte[] value = row == null ? null : row.value();
        return value == null ? new byte[0] : value;
    }

    private static String shortened(String text) {
        return text.length() > ERROR_CHARS_MAX ? text.substring(0, ERROR_CHARS_MAX) : text;
    }
}
