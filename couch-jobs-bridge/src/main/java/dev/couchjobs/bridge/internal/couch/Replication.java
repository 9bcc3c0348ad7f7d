package dev.couchjobs.bridge.internal.couch;

import java.net.URI;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A replication between two databases, which a server runs.
 *
 * @param id its id, unique on the server
 * @param source the database to copy from
 * @param target the database to copy to
 * @param isContinuous whether it never ends; otherwise it ends when all documents are copied
 * @param choice the documents to copy; empty for all
 */
public record Replication(String id, End source, End target, boolean isContinuous, Optional<Choice> choice) {

    /**
     * A database, as the replicating server reaches it.
     *
     * @param address its address, without name and password
     * @param credentials the user of the server; its {@code _replicator} stores name and password
     */
    public record End(URI address, Credentials credentials) {
        /** {@return the database at an address, which may contain name and password} */
        public static End of(URI address) {
            return new End(URI.create(Address.of(address).toString()), Credentials.in(address));
        }

        private ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("url", address.toString());
            // Always there, even if empty: another document would replace the replications of earlier versions.
            ObjectNode headers = json.putObject("headers");
            authorization().ifPresent(value -> headers.put("Authorization", value));
            return json;
        }

        private Optional<String> authorization() {
            if (credentials instanceof Credentials.Basic basic) {
                return Optional.of(basic.header());
            }
            // The replicator creates its own sessions.
            return credentials instanceof Credentials.Cookie cookie
                    ? Optional.of(new Credentials.Basic(cookie.name(), cookie.password()).header())
                    : Optional.empty();
        }
    }

    /** Selects the documents to copy. */
    public sealed interface Choice {
        /** The documents that match a selector of {@code _find}. */
        record Selector(ObjectNode json) implements Choice {}

        /**
         * The documents that a filter function accepts. Its name is that of the design document, a slash, and that of
         * the function.
         */
        record Filter(String name, ObjectNode parameters) implements Choice {}
    }

    /** {@return a continuous replication of all documents} */
    public static Replication continuous(String id, URI source, URI target) {
        return new Replication(id, End.of(source), End.of(target), true, Optional.empty());
    }

    /** {@return this replication for some documents only} */
    public Replication of(Choice documents) {
        return new Replication(id, source, target, isContinuous, Optional.of(documents));
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("source", source.json());
        json.set("target", target.json());
        json.put("continuous", isContinuous);
        choice.ifPresent(documents -> {
            if (documents instanceof Choice.Selector selector) {
                json.set("selector", selector.json());
            } else if (documents instanceof Choice.Filter filter) {
                json.put("filter", filter.name());
                json.set("query_params", filter.parameters());
            }
        });
        return json;
    }
}
