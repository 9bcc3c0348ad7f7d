/** The roles of idle processes (rfc/017, rfc/018). Not for users. */
@NullMarked
package dev.couchjobs.internal.idle;

import org.jspecify.annotations.NullMarked;
