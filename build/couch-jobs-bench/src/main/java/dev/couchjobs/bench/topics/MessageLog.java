package dev.couchjobs.bench.topics;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A log of messages. Closing it deletes it. */
interface MessageLog extends AutoCloseable {
    /** As the client of RabbitMQ does by default. */
    int CATCH_UP_BATCH = 10_000;

    /**
     * Appends messages to one partition, the partitions in turn: in one transaction, if the system has any.
     *
     * @return completes once the system has acknowledged all of them
     */
    CompletableFuture<?> append(List<byte[]> messages);

    /** Appends messages as one does who waits for them before the next. Returns once they are acknowledged. */
    default void appendAndWait(List<byte[]> messages) throws Exception {
        append(messages).get();
    }

    /**
     * Starts consumers of a new group, from the first message. The group's offsets are committed, or the messages
     * acknowledged, after the handler.
     *
     * @param batch how many messages a commit of the group covers, if the system allows it
     * @return stops them
     */
    AutoCloseable consume(int consumers, int batch, Consumer<byte[]> handler) throws Exception;

    /** Starts one consumer, which reads the log from its beginning and commits its offset behind each batch. */
    default AutoCloseable catchUp(Consumer<byte[]> handler) throws Exception {
        return consume(1, CATCH_UP_BATCH, handler);
    }

    @Override
    void close() throws IOException;
}
