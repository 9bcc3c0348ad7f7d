/** The worker protocol (rfc/032). */
@NullMarked
package dev.couchjobs.server.internal.work;

import org.jspecify.annotations.NullMarked;
