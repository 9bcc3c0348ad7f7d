package dev.couchjobs.bridge.internal.couch;

import java.net.URI;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a server is told to copy from one database to another.
 *
 * @param id names it; one server keeps one replication of a name
 * @param source where documents come from
 * @param target where they go
 * @param isContinuous whether it goes on forever; otherwise it ends when it has copied what there is
 * @param choice which documents; empty for all
 */
public record Replication(String id, End source, End target, boolean isContinuous, Optional<Choice> choice) {

    /**
     * A database as the replicating server reaches it.
     *
     * @param address its address, without name and password
     * @param credentials who the server is there; a name and a password are kept in the server's {@code _replicator}
     */
    public record End(URI address, Credentials credentials) {
        /** {@return the database at an address; name and password may be in it} */
        public static End of(URI address) {
            return new End(URI.create(Address.of(address).toString()), Credentials.in(address));
        }

        private ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("url", address.toString());
            // PouchDB's servers fail without the headers, even if there are none.
            ObjectNode headers = json.putObject("headers");
            authorization().ifPresent(value -> headers.put("Authorization", value));
            return json;
        }

        private Optional<String> authorization() {
            if (credentials instanceof Credentials.Basic basic) {
                return Optional.of(basic.header());
            }
            // The replicator makes its sessions itself.
            return credentials instanceof Credentials.Cookie cookie
                    ? Optional.of(new Credentials.Basic(cookie.name(), cookie.password()).header())
                    : Optional.empty();
        }
    }

    /** Which documents are copied. */
    public sealed interface Choice {
        /** Those that a selector of {@code _find} matches. PouchDB's servers copy nothing then. */
        record Selector(ObjectNode json) implements Choice {}

        /** Those that a filter function lets through: the design document's name, a slash, and the function's. */
        record Filter(String name, ObjectNode parameters) implements Choice {}
    }

    /** {@return a replication of all documents, forever} */
    public static Replication continuous(String id, URI source, URI target) {
        return new Replication(id, End.of(source), End.of(target), true, Optional.empty());
    }

    /** {@return this replication, but of some documents only} */
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
