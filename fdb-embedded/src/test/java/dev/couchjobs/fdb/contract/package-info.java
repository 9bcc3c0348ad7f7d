/**
 * What FoundationDB promises, as abstract test classes, one per topic.
 *
 * <p>A runner gives every topic its engine by implementing {@link dev.couchjobs.fdb.contract.Engine}: one class with a
 * nested class per topic is enough, see {@code InMemoryFdbTest}. The topics assert nothing that a real cluster does not
 * promise, keep to keys under a random prefix, and clear it afterwards.
 */
@NullMarked
package dev.couchjobs.fdb.contract;

import org.jspecify.annotations.NullMarked;
