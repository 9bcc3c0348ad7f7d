package dev.couchjobs.server.internal.access;

/**
 * A row among the tokens that this server cannot read. The server refuses its token, and counts it among the tokens.
 *
 * @param id the id of its token; if the key is damaged, what it is called so that it can be removed
 * @param problem why it cannot be read
 */
public record UnreadableToken(String id, String problem) {}
