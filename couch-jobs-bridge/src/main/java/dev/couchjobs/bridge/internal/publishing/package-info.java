/**
 * Writes the outbox of the store to CouchDB. Calls intake to take in what a conflict shows.
 */
@NullMarked
package dev.couchjobs.bridge.internal.publishing;

import org.jspecify.annotations.NullMarked;
