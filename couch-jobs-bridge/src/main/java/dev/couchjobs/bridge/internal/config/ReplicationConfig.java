package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.couch.Credentials;
import java.net.URI;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The replications that a bridge sets up at its CouchDB.
 *
 * @param peers the databases of other nodes, by the nodes' names
 * @param isSelective whether a node receives only what concerns it
 */
public record ReplicationConfig(SortedMap<String, Peer> peers, boolean isSelective) {

    /** Keeps a copy of the map. */
    public ReplicationConfig {
        peers = new TreeMap<>(peers);
    }

    /**
     * The database of another node, as this node's CouchDB reaches it.
     *
     * @param url its address, without name and password
     * @param credentials who this node's CouchDB is there
     */
    public record Peer(URI url, Credentials credentials) {}
}
