package dev.couchjobs.bridge.internal.store;

/**
 * A document that has to be written back.
 *
 * @param id its id
 * @param token why: differs from one reason to the next
 * @param refusals how often that was refused so far
 */
public record OutboxEntry(String id, long token, int refusals) {}
