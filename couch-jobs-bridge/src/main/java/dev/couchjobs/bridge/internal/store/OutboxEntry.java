package dev.couchjobs.bridge.internal.store;

/**
 * A document to write to CouchDB.
 *
 * @param id its id
 * @param token identifies the request to write it
 * @param refusals how often CouchDB has refused it
 */
public record OutboxEntry(String id, long token, int refusals) {}
