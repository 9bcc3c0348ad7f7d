/** The paths of the assignment "distributed queue", on topics: {@code docs/decisions/0040-the-paths-of-a-queue.md}. */
@NullMarked
package dev.couchjobs.server.internal.queue;

import org.jspecify.annotations.NullMarked;
