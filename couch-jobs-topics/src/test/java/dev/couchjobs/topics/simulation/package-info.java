/** Topics in simulated processes, with faults, from a seed. */
@NullMarked
package dev.couchjobs.topics.simulation;

import org.jspecify.annotations.NullMarked;
