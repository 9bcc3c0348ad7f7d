/** The pending queue of RFC 007, and the ranked queue of jobs with a priority (rfc/008). Not for users. */
@NullMarked
package dev.couchjobs.internal.queue;

import org.jspecify.annotations.NullMarked;
