/** The status index: jobs by status, and how many there are of each (rfc/029). Not for users. */
@NullMarked
package dev.couchjobs.internal.status;

import org.jspecify.annotations.NullMarked;
