/** Publishes the changes of jobs. */
@NullMarked
package dev.couchjobs.topics.internal.changes;

import org.jspecify.annotations.NullMarked;
