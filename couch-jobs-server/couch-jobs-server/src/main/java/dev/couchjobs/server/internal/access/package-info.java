/** Who calls, and what it may do. */
@NullMarked
package dev.couchjobs.server.internal.access;

import org.jspecify.annotations.NullMarked;
