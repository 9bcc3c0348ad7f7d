/**
 * Background services: activity monitors put the jobs of silent processors back into the queue, the releaser notifies
 * the dependents of ended jobs, and the trimmer trims change feeds. Not for users.
 */
@NullMarked
package dev.couchjobs.internal.monitor;

import org.jspecify.annotations.NullMarked;
