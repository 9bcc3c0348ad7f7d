/** Bridges on real servers: what people see in documents, whatever happens to processes, servers and networks. */
@NullMarked
package dev.couchjobs.bridge.acceptance;

import org.jspecify.annotations.NullMarked;
