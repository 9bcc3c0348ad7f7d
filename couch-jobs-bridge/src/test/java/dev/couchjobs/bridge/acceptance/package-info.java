/** Bridges on real servers: the contents of documents while processes, servers and networks fail. */
@NullMarked
package dev.couchjobs.bridge.acceptance;

import org.jspecify.annotations.NullMarked;
