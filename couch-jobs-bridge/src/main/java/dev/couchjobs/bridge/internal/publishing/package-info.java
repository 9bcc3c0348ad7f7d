/** Writes the outbox of the store to CouchDB. Calls intake to import the other version after a conflict. */
@NullMarked
package dev.couchjobs.bridge.internal.publishing;

import org.jspecify.annotations.NullMarked;
