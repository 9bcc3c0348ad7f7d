/** Consumers: members of a group that hold partitions, run handlers and commit offsets. */
@NullMarked
package dev.couchjobs.topics.internal.consumers;

import org.jspecify.annotations.NullMarked;
