package dev.couchjobs.topics;

import java.util.concurrent.CompletableFuture;

/**
 * Where a message was appended.
 *
 * @param partition the partition
 * @param number its number among the messages of the transaction, from 0: the end of its offset
 * @param offset completes with the commit. In the caller's own transaction that is after the call; it fails if the
 *     transaction does not commit
 */
public record Appended(int partition, int number, CompletableFuture<Offset> offset) {}
