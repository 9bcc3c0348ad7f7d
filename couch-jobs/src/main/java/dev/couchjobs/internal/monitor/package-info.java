/**
 * Background services for the jobs of a type: the activity monitor puts back jobs whose processors went silent, and the
 * releaser settles the dependents of ended jobs. Not for users.
 */
@NullMarked
package dev.couchjobs.internal.monitor;

import org.jspecify.annotations.NullMarked;
