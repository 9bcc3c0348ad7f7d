/** The configuration file of the server, and its checks. */
@NullMarked
package dev.couchjobs.server.internal.config;

import org.jspecify.annotations.NullMarked;
