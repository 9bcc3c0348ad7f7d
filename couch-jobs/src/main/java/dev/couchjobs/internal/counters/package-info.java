/** How many jobs of a type are in each state. Not for users. */
@NullMarked
package dev.couchjobs.internal.counters;

import org.jspecify.annotations.NullMarked;
