package dev.couchjobs.bridge.internal.couch;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One database of a CouchDB server. No method blocks. Requests that fail for a reason that may pass, such as a server
 * that is down, a 429 or a 500, are repeated with growing pauses until the database is closed. A returned future fails
 * only if a repetition would fail, too.
 */
public interface CouchDatabase extends AutoCloseable {

    /**
     * Reads the first of the given documents with all their leaves, as many as fit into memory. A document that is too
     * large alone, or too deep, is read as an empty one.
     *
     * @param ids the ids
     * @return a document for each of the first ids, in their order; at least one if there is an id
     */
    CompletableFuture<List<StoredDocument>> readSome(List<String> ids);

    /**
     * Reads all of the given documents. The caller knows that they are few, or small.
     *
     * @param ids the ids
     * @return a document for each id, in their order
     */
    default CompletableFuture<List<StoredDocument>> read(Collection<String> ids) {
        List<String> all = List.copyOf(ids);
        return readSome(all)
                .thenCompose(first -> first.size() == all.size()
                        ? CompletableFuture.completedFuture(first)
                        : read(all.subList(first.size(), all.size()))
                                .thenApply(rest -> Stream.concat(first.stream(), rest.stream())
                                        .toList()));
    }

    /**
     * Writes documents, each on the revision in its {@code _rev}, or as a new one without. The results are independent.
     * A write whose answer is lost is repeated, and then conflicts with itself. CouchDB accepts any {@code _rev} for a
     * document that it has never contained.
     *
     * @param documents the bodies, with {@code _id}; {@code _deleted} deletes
     * @return the results, in the order of the documents
     */
    CompletableFuture<List<WriteResult>> write(List<ObjectNode> documents);

    /**
     * Follows the changes of the database until the feed is closed. The feed continues at its position after the loss
     * of the connection, and waits for a database that does not exist yet. It may repeat changes. It starts again if
     * another database has taken the place of the one to which the position belongs.
     *
     * @param since the position to continue at, as the listener received it; null for the beginning
     * @param listener receives the changes, on one thread at a time
     * @return the feed
     */
    ChangesFeed follow(@Nullable JsonNode since, ChangesListener listener);

    /** Closes the feeds, and stops the repetition of requests. */
    @Override
    void close();
}
