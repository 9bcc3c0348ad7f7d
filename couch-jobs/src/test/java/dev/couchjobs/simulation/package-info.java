/** The whole library and the embedded engine on one thread and in virtual time, from a seed. */
@NullMarked
package dev.couchjobs.simulation;

import org.jspecify.annotations.NullMarked;
