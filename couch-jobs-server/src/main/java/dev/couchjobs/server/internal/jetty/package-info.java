/** What Jetty offers and the servlet API does not. */
@NullMarked
package dev.couchjobs.server.internal.jetty;

import org.jspecify.annotations.NullMarked;
