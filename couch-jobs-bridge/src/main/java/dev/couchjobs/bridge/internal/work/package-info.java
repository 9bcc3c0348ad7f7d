/** Work items: the jobs of open items, their attempts and their outcomes. Uses the running actions of steps. */
@NullMarked
package dev.couchjobs.bridge.internal.work;

import org.jspecify.annotations.NullMarked;
