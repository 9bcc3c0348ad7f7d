/** The whole bridge from a seed, on several nodes, in virtual time and with faults. */
@NullMarked
package dev.couchjobs.bridge.simulation;

import org.jspecify.annotations.NullMarked;
