/**
 * An in-process FoundationDB and all who use it, on one thread and in virtual time, from a seed.
 *
 * <p>{@link dev.couchjobs.fdb.simulation.Simulation} is where to start. {@link
 * dev.couchjobs.fdb.simulation.FaultyDatabase} and {@link dev.couchjobs.fdb.simulation.VirtualScheduler}, of which it
 * is made, are of use by themselves as well.
 */
@NullMarked
package dev.couchjobs.fdb.simulation;

import org.jspecify.annotations.NullMarked;
