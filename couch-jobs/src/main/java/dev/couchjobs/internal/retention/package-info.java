/** When ended jobs are removed, and jobs expire that have not begun. Not for users. */
@NullMarked
package dev.couchjobs.internal.retention;

import org.jspecify.annotations.NullMarked;
