package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.couch.Credentials;
import java.net.URI;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The replications that a bridge creates on its CouchDB.
 *
 * @param peers the databases of other nodes, by node
 * @param isSelective whether a node receives only the documents that concern it
 */
public record ReplicationConfig(SortedMap<String, Peer> peers, boolean isSelective) {

    public ReplicationConfig {
        peers = new TreeMap<>(peers);
    }

    /**
     * The database of another node, as this node's CouchDB reaches it.
     *
     * @param url its address, without name and password
     * @param credentials the user of this node's CouchDB
     */
    public record Peer(URI url, Credentials credentials) {}
}
