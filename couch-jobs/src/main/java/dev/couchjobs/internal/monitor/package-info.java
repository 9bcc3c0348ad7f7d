/**
 * What watches over the jobs of a type in the background: those whose processor went silent become pending again, and
 * those who wait for jobs that ended are told. Not for users.
 */
@NullMarked
package dev.couchjobs.internal.monitor;

import org.jspecify.annotations.NullMarked;
