package dev.couchjobs.topics.internal.consumers;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.loop.Observers;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicsListener;
import dev.couchjobs.topics.internal.log.StoredMessage;
import dev.couchjobs.topics.internal.log.TopicTable;
import dev.couchjobs.topics.internal.messages.Values;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the parts of one consumer share.
 *
 * @param member the consumer's name among the members of its group
 * @param start where a group begins that is not there yet
 * @param isOrdered whether messages wait behind one that has failed
 * @param chosen the only partitions that it wants; none for its share
 * @param deadLetters what a message goes to that has failed too often
 */
public record ConsumerSettings<T>(
        Database database,
        Environment environment,
        TopicTable table,
        Values values,
        Observers<TopicsListener> listeners,
        Topic<T> topic,
        String group,
        String member,
        Position start,
        Handler<T> handler,
        int batch,
        Duration lease,
        RetryPolicy retry,
        boolean isOrdered,
        Set<Integer> chosen,
        Optional<DeadLetters> deadLetters) {

    /** {@return whether a message that has failed so often is a dead letter} */
    boolean isExhausted(int failures) {
        return deadLetters.isPresent() && failures >= retry.maxAttempts();
    }

    /** {@return the pause before the next attempt; the longest one for a message that is never given up} */
    Duration pauseAfter(int failures) {
        return retry.delayAfter(failures, environment.random()).orElse(retry.maxDelay());
    }

    /** {@return the messages as the handler gets them} */
    List<Message<T>> decode(int partition, List<StoredMessage> messages) {
        return messages.stream()
                .map(stored -> values.message(topic, partition, stored))
                .toList();
    }
}
