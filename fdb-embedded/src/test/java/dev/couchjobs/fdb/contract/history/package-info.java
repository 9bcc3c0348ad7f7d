/**
 * Concurrent histories, and two ways to tell whether they are strictly serializable.
 *
 * <p>Several threads run a {@link dev.couchjobs.fdb.contract.history.Workload} on one database. What each transaction
 * asked and was told is recorded as an {@link dev.couchjobs.fdb.contract.history.ObservedTransaction}, with two ticks
 * of a shared counter around it: one that ended before another began has to come before it. {@code ClaimedOrder}
 * verifies the order that the database itself claims by its versions, which takes one pass. {@code OrderSearch}
 * believes nothing that the database says about order, and looks for one that explains every result, after Wing and
 * Gong ("Testing and verifying concurrent objects", 1993) with the memory of visited states that Lowe added ("Testing
 * for linearizability", 2017): it finds one if there is one.
 *
 * <p>That both checkers see what they are for is shown by histories planted by hand and by databases with a fault. The
 * histories of package {@code property} are of another kind: all operations, but one call at a time on a single thread,
 * so that they shrink, and so that every conflict can be accounted for.
 */
@NullMarked
package dev.couchjobs.fdb.contract.history;

import org.jspecify.annotations.NullMarked;
