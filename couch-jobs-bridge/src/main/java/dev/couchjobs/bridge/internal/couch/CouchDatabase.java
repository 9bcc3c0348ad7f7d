package dev.couchjobs.bridge.internal.couch;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One database of a CouchDB server, as the bridge uses it. Nothing here blocks. What may pass, such as a server that is
 * down, a 429 or a 500, is tried again inside, with growing pauses, until this is closed; what is returned as failed
 * would fail again.
 */
public interface CouchDatabase extends AutoCloseable {

    /**
     * Reads documents with all their leaves, as many as can well be held at once. A document that is too large even
     * alone, or too deep, is read as if it were empty.
     *
     * @param ids which would be read
     * @return one for each of the first ids, in their order; at least one if there is an id
     */
    CompletableFuture<List<StoredDocument>> readSome(List<String> ids);

    /**
     * Reads documents that are known to be few, or small.
     *
     * @param ids which
     * @return one for each id, in their order
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
     * Writes documents, each on the revision that its {@code _rev} names; without one, it is new. Each is written or
     * not by itself. A write whose answer was lost is made again, and then meets the conflict that it has made itself.
     * Of a document that the database has never seen, CouchDB takes any revision to build on.
     *
     * @param documents their bodies, with {@code _id}; {@code _deleted} deletes
     * @return what became of each, in their order
     */
    CompletableFuture<List<WriteResult>> write(List<ObjectNode> documents);

    /**
     * Follows the changes of the database until the feed is closed. The connection may be lost and come back, and the
     * database may be made only later: the feed goes on from where it was. Changes may come twice; all of them come if
     * the database is another one than the position is of.
     *
     * @param since the position to go on from, as it was given to the listener; null for the beginning
     * @param listener is called by one thread at a time
     * @return the feed
     */
    ChangesFeed follow(@Nullable JsonNode since, ChangesListener listener);

    /** Ends the feeds and what is being tried again. */
    @Override
    void close();
}
