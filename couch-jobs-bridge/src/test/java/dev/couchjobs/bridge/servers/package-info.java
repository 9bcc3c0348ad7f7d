/** CouchDB servers for tests, and the wires to them. */
@NullMarked
package dev.couchjobs.bridge.servers;

import org.jspecify.annotations.NullMarked;
