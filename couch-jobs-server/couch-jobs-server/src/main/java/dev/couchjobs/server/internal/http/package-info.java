/** Requests and replies without a blocked thread, errors as problems. */
@NullMarked
package dev.couchjobs.server.internal.http;

import org.jspecify.annotations.NullMarked;
