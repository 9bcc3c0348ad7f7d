/**
 * Topics: durable, partitioned logs of messages. A transaction that appends a message can also change the caller's data
 * and add jobs. The entry is {@link dev.couchjobs.topics.Topics}.
 */
@NullMarked
package dev.couchjobs.topics;

import org.jspecify.annotations.NullMarked;
