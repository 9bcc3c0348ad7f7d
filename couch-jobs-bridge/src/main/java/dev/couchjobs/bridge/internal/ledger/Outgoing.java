package dev.couchjobs.bridge.internal.ledger;

/**
 * A document that has to be written back.
 *
 * @param id its id
 * @param token why: differs from one reason to the next
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
public record Outgoing(String id, byte[] token) {}
