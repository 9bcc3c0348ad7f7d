/** One database of a CouchDB server, over HTTP. */
@NullMarked
package dev.couchjobs.bridge.internal.couch;

import org.jspecify.annotations.NullMarked;
