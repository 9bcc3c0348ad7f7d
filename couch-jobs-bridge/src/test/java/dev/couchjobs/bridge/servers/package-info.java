/** CouchDB servers for tests, and proxies in front of them. */
@NullMarked
package dev.couchjobs.bridge.servers;

import org.jspecify.annotations.NullMarked;
