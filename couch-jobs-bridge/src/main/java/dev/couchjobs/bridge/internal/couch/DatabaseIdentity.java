package dev.couchjobs.bridge.internal.couch;

import java.net.URI;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Identifies a database among those that are, or were, at its address, by a local document. The first client creates
 * it; it is not replicated, and is deleted with the database.
 */
final class DatabaseIdentity {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseIdentity.class);
    private static final String MARKER = "/_local/couch-jobs";
    private static final String ID = "id";

    private final CouchSettings settings;
    private final Address address;
    private final Transport transport;
    private final AtomicBoolean hasComplained = new AtomicBoolean();

    DatabaseIdentity(CouchSettings settings, Address address, Transport transport) {
        this.settings = settings;
        this.address = address;
        this.transport = transport;
    }

    /**
     * Reads the identity of the database. Creates the database if it does not exist and the settings allow it.
     *
     * @return its identity; empty if it has none and this client must not create one
     */
    CompletableFuture<Optional<String>> look() {
        return transport.answer("GET", marker(), null).thenCompose(found -> {
            if (found.isOfMissingDocument()) {
                return mark();
            }
            return found.status() == 404 && settings.isCreated()
                    ? create().thenCompose(made -> mark())
                    : CompletableFuture.completedFuture(idIn(found));
        });
    }

    /** Creates the database. It succeeds if another client has created it before. */
    CompletableFuture<@Nullable Void> create() {
        return transport.answer("PUT", address.of(""), null).thenApply(response -> {
            if (response.status() != 412) {
                transport.succeeded("PUT " + address, response);
            }
            return null;
        });
    }

    /** Of concurrent writers the last wins, so the result is read. */
    private CompletableFuture<Optional<String>> mark() {
        RandomGenerator random = settings.environment().random();
        JsonNode document = JsonNodeFactory.instance
                .objectNode()
                .put(ID, new UUID(random.nextLong(), random.nextLong()).toString());
        return transport.answer("PUT", marker(), document).thenCompose(response -> {
            if (response.status() == 401 || response.status() == 403) {
                complain(response);
                return CompletableFuture.completedFuture(Optional.empty());
            }
            if (response.status() != 409) {
                transport.succeeded("PUT " + marker(), response);
            }
            return transport.answer("GET", marker(), null).thenApply(this::idIn);
        });
    }

    private Optional<String> idIn(CouchResponse found) {
        JsonNode document = transport.succeeded("GET " + marker(), found).json();
        return Optional.of(document.path(ID).asString("")).filter(id -> !id.isEmpty());
    }

    private void complain(CouchResponse refusal) {
        if (hasComplained.compareAndSet(false, true)) {
            LOG.warn(
                    "{}: the user must not write the document {} ({} {}), so the bridge cannot detect that the"
                            + " database is replaced",
                    address,
                    MARKER.substring(1),
                    refusal.status(),
                    refusal.reason());
        }
    }

    private URI marker() {
        return address.of(MARKER);
    }
}
