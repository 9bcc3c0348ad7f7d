/** Processes that are killed, and what is found on disk afterwards. */
@NullMarked
package dev.couchjobs.fdb.crash;

import org.jspecify.annotations.NullMarked;
