/**
 * The stack machine of FoundationDB's binding tester, over any {@link com.apple.foundationdb.Database}.
 *
 * <p>What the operations do is said in {@code bindings/bindingtester/spec} of apple/foundationdb,
 * {@code bindingApiTester.md} and {@code directoryLayerTester.md}; they are found here under the names they have there,
 * one enum for each of the specification's chapters. Random {@link dev.couchjobs.fdb.stackmachine.Program}s are run on
 * two databases, and a {@link dev.couchjobs.fdb.stackmachine.Comparison} says whether anybody could have told the
 * difference.
 *
 * <p>Two things differ from the specification. A program comes from a seed and not out of the database, and there are
 * no threads: {@code START_THREAD} and {@code WAIT_EMPTY} are left out, because what threads do to one another depends
 * on their timing, and two answers that may both be right cannot be compared. What threads would show, conflicts
 * between transactions that are open at the same time, programs do with several named transactions instead.
 */
@NullMarked
package dev.couchjobs.fdb.stackmachine;

import org.jspecify.annotations.NullMarked;
