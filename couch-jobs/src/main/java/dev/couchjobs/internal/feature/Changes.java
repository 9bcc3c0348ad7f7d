package dev.couchjobs.internal.feature;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.OptionalLong;

/**
 * Changes of jobs of one type that a transaction writes together. They share their rows in an index where possible,
 * such as the row in the feed.
 *
 * @param tx the transaction
 * @param keys the keys of the type
 * @param userVersion the user version of shared rows
 * @param shard the shard of the transaction in counters
 * @param token identifies the verb in the feed, if it has a transaction of its own
 * @param all the changes, one for each job
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; each index loops over it
public record Changes(
        Transaction tx, TypeKeys keys, int userVersion, int shard, OptionalLong token, SavedChange[] all) {}
