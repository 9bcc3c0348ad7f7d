package dev.couchjobs.bridge.internal.couch;

import dev.couchjobs.bridge.internal.OneLine;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The replications that a server runs, in its database {@code _replicator}. Transient faults are repeated. */
public final class Replications implements AutoCloseable {
    private static final Set<String> FIELDS =
            Set.of("source", "target", "continuous", "selector", "filter", "query_params", "doc_ids");

    private final Address replicator;
    private final Transport transport;
    private final Retrier retrier;
    private final Executor executor;

    /**
     * Creates a client for a server's replications. It sends nothing.
     *
     * @param settings how to reach any database of the server; the user must be an administrator
     * @param loginThrottles those of the bridge, shared by its clients
     */
    public Replications(CouchSettings settings, LoginThrottles loginThrottles) {
        Address anyDatabase = Address.of(settings.address());
        this.replicator = new Address(anyDatabase.server(), "_replicator");
        this.transport = new Transport(settings, anyDatabase, loginThrottles);
        this.retrier = new Retrier(settings, new ThrottledWarnings(replicator));
        this.executor = settings.executor();
    }

    /**
     * Starts a replication, which the server also continues after a restart. Nothing changes if it runs already; one
     * with the same id that differs is replaced.
     *
     * @return whether something has changed; fails with a {@link CouchException} if the server refuses
     */
    public CompletableFuture<Boolean> ensure(Replication replication) {
        ObjectNode wanted = replication.json();
        return retrier.retryUntilSuccess(() -> find(replication.id()).thenCompose(found -> {
            boolean isThere = found.filter(document -> isSame(document, wanted)).isPresent();
            return isThere
                    ? CompletableFuture.completedFuture(false)
                    : put(replication.id(), wanted, found).thenApply(done -> true);
        }));
    }

    /**
     * Ends a replication.
     *
     * @return whether it existed
     */
    public CompletableFuture<Boolean> remove(String id) {
        return retrier.retryUntilSuccess(() -> find(id).thenCompose(found -> found.isEmpty()
                ? CompletableFuture.completedFuture(false)
                : delete(id, found.get()).thenApply(done -> true)));
    }

    /**
     * The state of a replication.
     *
     * @param name CouchDB's name of the state
     * @param reason the reason that CouchDB gives; empty if there is none
     */
    public record State(String name, String reason) {
        private static final Set<String> TROUBLE = Set.of("crashing", "error", "failed");

        boolean isTrouble() {
            return TROUBLE.contains(name);
        }

        /** {@return whether the server has given it up} */
        boolean hasFailed() {
            return name.equals("failed");
        }

        boolean isRunning() {
            return name.equals("running");
        }

        private static State of(JsonNode answer) {
            JsonNode info = answer.path("info");
            String reason =
                    info.isString() ? info.asString() : info.path("error").asString("");
            return new State(answer.path("state").asString(""), OneLine.of(reason.replaceAll("\\s+", " ")));
        }
    }

    /** {@return the state of a replication; empty if the server does not know or show it} Makes one attempt. */
    CompletableFuture<Optional<State>> state(String id) {
        URI uri = replicator.ofServer("_scheduler/docs/_replicator/" + Address.encoded(id));
        return transport
                .answer("GET", uri, null)
                .thenApply(response -> response.status() == 404
                        ? Optional.empty()
                        : Optional.of(State.of(
                                transport.succeeded("GET " + uri, response).json())));
    }

    /** A replication of a server: its id, and the addresses of both databases. */
    public record Kept(String id, String source, String target) {
        private static Kept of(JsonNode document) {
            return new Kept(
                    document.path("_id").asString(""), url(document.path("source")), url(document.path("target")));
        }

        private static String url(JsonNode end) {
            return end.isString() ? end.asString() : end.path("url").asString("");
        }
    }

    /** {@return the replications whose ids have a prefix; none if the server does not show them} Makes one attempt. */
    public CompletableFuture<List<Kept>> kept(String prefix) {
        String range = "?include_docs=true&startkey=" + quoted(prefix) + "&endkey=" + quoted(prefix + "\uffff");
        return transport
                .answer("GET", replicator.of("/_all_docs" + range), null)
                .thenApply(response -> {
                    if (Set.of(401, 403, 404).contains(response.status())) {
                        return List.of();
                    }
                    return transport
                            .succeeded("GET " + replicator + "/_all_docs", response)
                            .json()
                            .path("rows")
                            .valueStream()
                            .map(row -> Kept.of(row.path("doc")))
                            .toList();
                });
    }

    private static String quoted(String text) {
        return Address.encoded(JsonNodeFactory.instance.stringNode(text).toString());
    }

    Executor executor() {
        return executor;
    }

    private URI document(String id) {
        return replicator.of("/" + Address.encoded(id));
    }

    private CompletableFuture<Optional<JsonNode>> find(String id) {
        return transport.answer("GET", document(id), null).thenCompose(response -> {
            if (response.status() != 404) {
                return CompletableFuture.completedFuture(
                        Optional.of(accepted("GET", id, response).json()));
            }
            return response.isOfMissingDocument()
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : createDatabase();
        });
    }

    private CompletableFuture<Optional<JsonNode>> createDatabase() {
        return transport.answer("PUT", replicator.of(""), null).thenApply(response -> {
            if (response.status() != 412) {
                accepted("PUT", "", response);
            }
            return Optional.empty();
        });
    }

    private static boolean isSame(JsonNode document, ObjectNode wanted) {
        return FIELDS.stream().allMatch(field -> document.path(field).equals(wanted.path(field)));
    }

    private CompletableFuture<CouchResponse> put(String id, ObjectNode wanted, Optional<JsonNode> found) {
        ObjectNode body = wanted.deepCopy();
        found.ifPresent(document -> body.set("_rev", document.path("_rev")));
        return send("PUT", id, document(id), body);
    }

    private CompletableFuture<CouchResponse> delete(String id, JsonNode found) {
        String revision = found.path("_rev").asString();
        return send("DELETE", id, URI.create(document(id) + "?rev=" + revision), null);
    }

    private CompletableFuture<CouchResponse> send(String method, String id, URI uri, @Nullable JsonNode body) {
        return transport.answer(method, uri, body).thenApply(response -> accepted(method, id, response));
    }

    /** A conflict with the replicator itself is transient; a refused document is an error. */
    private CouchResponse accepted(String method, String id, CouchResponse response) {
        String request = method + " " + replicator + "/" + id;
        if (response.status() == 409) {
            throw new TransientException(request + " met another change");
        }
        if (response.status() == 403) {
            throw new CouchException(
                    403,
                    request + " was refused: " + response.reason()
                            + ". Only an administrator of the server may create replications");
        }
        return transport.succeeded(request, response);
    }

    /** Stops the repetition of requests. The replications continue. */
    @Override
    public void close() {
        retrier.close();
        transport.close();
    }
}
