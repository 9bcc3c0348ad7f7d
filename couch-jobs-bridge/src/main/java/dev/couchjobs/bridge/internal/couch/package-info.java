/** A client for databases of CouchDB servers, over HTTP. */
@NullMarked
package dev.couchjobs.bridge.internal.couch;

import org.jspecify.annotations.NullMarked;
