/** Keys and rows of topics and their partitions. */
@NullMarked
package dev.couchjobs.topics.internal.log;

import org.jspecify.annotations.NullMarked;
