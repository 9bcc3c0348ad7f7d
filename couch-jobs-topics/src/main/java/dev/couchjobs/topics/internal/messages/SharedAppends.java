package dev.couchjobs.topics.internal.messages;

import com.apple.foundationdb.Database;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.internal.log.LogWriter.Placed;
import dev.couchjobs.topics.internal.log.MessageRow;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * Appends with a database that come at the same time share commits, by topics. So a caller that waits for each of its
 * appends has a commit for each, and many appends at once need few commits.
 */
public final class SharedAppends {
    private static final int TOPICS_MAX = 10_000;

    private final TopicTable table;
    private final ScheduledExecutorService scheduler;
    /** What uses one {@code Database} waits for no commit through another. */
    private final Map<Database, Cache<String, AppendQueue>> queues = Collections.synchronizedMap(new WeakHashMap<>());

    public SharedAppends(TopicTable table, ScheduledExecutorService scheduler) {
        this.table = table;
        this.scheduler = scheduler;
    }

    /**
     * Messages that are appended together.
     *
     * @param messages places the rows in the partitions of the topic
     */
    public record Append(List<MessageRow> rows, Instant at, Function<TopicRow, List<Placed>> messages) {}

    /** Appends messages, perhaps together with others. */
    public CompletableFuture<List<Appended>> append(Database database, String topicName, Append append) {
        return queues.computeIfAbsent(database, added -> queuesOfTopics())
                .get(topicName, name -> new AppendQueue(table, name, scheduler))
                .add(database, append);
    }

    /** {@return no queues yet} An evicted queue goes on for those that wait in it. */
    private static Cache<String, AppendQueue> queuesOfTopics() {
        return Caffeine.newBuilder()
                .maximumSize(TOPICS_MAX)
                .executor(Runnable::run)
                .build();
    }
}
