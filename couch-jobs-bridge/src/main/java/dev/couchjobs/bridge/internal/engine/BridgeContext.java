package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.document.Cluster;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import java.time.Duration;

/**
 * What the parts of one bridge have in common.
 *
 * @param node the node's name
 * @param cluster all nodes
 * @param database where the jobs and the ledger are
 * @param jobs the jobs
 * @param ledger the bridge's own rows
 * @param couch the node's CouchDB
 * @param environment time, timer and chance
 * @param retention how long ended documents are remembered
 */
public record BridgeContext(
        String node,
        Cluster cluster,
        Database database,
        CouchJobs jobs,
        Ledger ledger,
        CouchDatabase couch,
        Environment environment,
        Duration retention) {}
