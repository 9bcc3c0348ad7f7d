/** The whole bridge from a seed, on several nodes and in virtual time, with everything going wrong. */
@NullMarked
package dev.couchjobs.bridge.simulation;

import org.jspecify.annotations.NullMarked;
