package dev.couchjobs.bridge.internal.couch;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A database of a CouchDB server, over HTTP. Works with Apache CouchDB 3.5. */
public final class HttpCouchDatabase implements CouchDatabase {
    private final CouchSettings settings;
    private final Address address;
    private final Transport transport;
    private final DatabaseIdentity identity;
    private final Retrier retrier;
    private final LeafReader reader;
    private final Set<HttpChangesFeed> feeds = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> found = new CompletableFuture<>();
    private volatile Runnable whenReplaced = () -> {};
    private volatile boolean isClosed;

    /**
     * Creates a client for a database on a server that no other client uses. It sends nothing.
     *
     * @param settings how to reach the database
     */
    public HttpCouchDatabase(CouchSettings settings) {
        this(settings, new LoginThrottles("CouchDB"));
    }

    /**
     * Creates a client for a database. It sends nothing.
     *
     * @param settings how to reach the database
     * @param loginThrottles those of the bridge, shared by its clients
     */
    public HttpCouchDatabase(CouchSettings settings, LoginThrottles loginThrottles) {
        this.settings = settings;
        this.address = Address.of(settings.address());
        this.transport = new Transport(settings, address, loginThrottles);
        this.identity = new DatabaseIdentity(settings, address, transport);
        this.retrier = new Retrier(settings, new ThrottledWarnings(address));
        this.reader = new LeafReader(transport, address, retrier, settings.batch());
    }

    /**
     * Creates the database if it does not exist. Without the right to do so, it waits for another client.
     *
     * @return completes when the database exists; fails with a {@link CouchException} if its name is invalid
     */
    public CompletableFuture<Void> ensureDatabase() {
        return retrier.retryUntilSuccess(() -> transport
                .answer("GET", address.of(""), null) // the answer to a HEAD contains no reason
                .thenCompose(found -> found.isSuccess() ? CompletableFuture.completedFuture(null) : identity.create()));
    }

    /** {@return whether the database exists and is readable} Makes one attempt. */
    CompletableFuture<Boolean> isThere() {
        return transport.answer("GET", address.of(""), null).thenApply(CouchResponse::isSuccess);
    }

    /** {@return why the server refuses the user; empty if it does not} */
    Optional<String> refusal() {
        return transport.trouble();
    }

    /**
     * Sets an action for the replacement of the database by another one.
     *
     * @param action runs after the feed has started again; it must not block
     */
    public void whenReplaced(Runnable action) {
        whenReplaced = action;
    }

    /** {@return completes when a feed has found the database for the first time} */
    public CompletableFuture<Void> found() {
        return found.copy();
    }

    /** {@return why the last request has failed, for people; empty if it has not} */
    public Optional<String> trouble() {
        return transport.trouble().or(retrier::trouble);
    }

    @Override
    public CompletableFuture<List<StoredDocument>> readSome(List<String> ids) {
        return reader.readSome(ids);
    }

    @Override
    public CompletableFuture<List<WriteResult>> write(List<ObjectNode> documents) {
        return new BulkWriter(transport, address, retrier, settings.batch()).write(List.copyOf(documents));
    }

    @Override
    public ChangesFeed follow(@Nullable JsonNode since, ChangesListener listener) {
        HttpChangesFeed feed = new HttpChangesFeed(
                settings, address, transport, identity, retrier.newBackoff(), since, listener, new Owner());
        feeds.add(feed);
        if (isClosed) {
            feed.close();
        }
        feed.begin();
        return feed;
    }

    // Local documents. They are not replicated, and are not in feeds.

    /** The result of a write. */
    enum LocalWrite {
        WRITTEN,
        /** Another write came first. Apache CouchDB does not report it. */
        CONFLICT,
        /** The user must not write the document. */
        FORBIDDEN
    }

    /** {@return a local document; empty if there is none} */
    CompletableFuture<Optional<JsonNode>> local(String name) {
        return retrier.retryUntilSuccess(() -> transport
                .answer("GET", localDocument(name), null)
                .thenApply(response -> response.isOfMissingDocument()
                        ? Optional.empty()
                        : Optional.of(transport
                                .succeeded("GET " + localDocument(name), response)
                                .json())));
    }

    /** Writes a local document on the revision in its {@code _rev}. */
    CompletableFuture<LocalWrite> writeLocal(String name, JsonNode document) {
        return retrier.retryUntilSuccess(() -> transport
                .answer("PUT", localDocument(name), document)
                .thenApply(response -> switch (response.status()) {
                    case 401, 403 -> LocalWrite.FORBIDDEN;
                    case 409 -> LocalWrite.CONFLICT;
                    default -> {
                        transport.succeeded("PUT " + localDocument(name), response);
                        yield LocalWrite.WRITTEN;
                    }
                }));
    }

    private URI localDocument(String name) {
        return address.of("/_local/" + Address.encoded(name));
    }

    Address address() {
        return address;
    }

    Executor executor() {
        return settings.executor();
    }

    /** {@return the pauses between attempts} */
    Backoff newBackoff() {
        return retrier.newBackoff();
    }

    private final class Owner implements HttpChangesFeed.Owner {
        @Override
        public void found() {
            found.complete(null);
        }

        @Override
        public void replaced() {
            whenReplaced.run();
        }

        @Override
        public void closed(HttpChangesFeed feed) {
            feeds.remove(feed);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        retrier.close();
        feeds.forEach(HttpChangesFeed::close);
        transport.close();
    }
}
