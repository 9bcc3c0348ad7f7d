/** The contract of a CouchDB database, and what the one over HTTP does when things go wrong. */
@NullMarked
package dev.couchjobs.bridge.internal.couch;

import org.jspecify.annotations.NullMarked;
