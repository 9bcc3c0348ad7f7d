/** The contract of CouchDB databases, and the behaviour of the HTTP client under faults. */
@NullMarked
package dev.couchjobs.bridge.internal.couch;

import org.jspecify.annotations.NullMarked;
