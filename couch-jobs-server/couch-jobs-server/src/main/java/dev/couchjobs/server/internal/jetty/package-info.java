/** The server's connections: where it listens, TLS, and the limits for clients. */
@NullMarked
package dev.couchjobs.server.internal.jetty;

import org.jspecify.annotations.NullMarked;
