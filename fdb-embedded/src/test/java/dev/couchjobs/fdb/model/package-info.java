/**
 * A FoundationDB so naive that reading it is enough to believe it: the reference that engines are compared with.
 *
 * <p>Keys and values are strings of one-byte characters, whose order is the order of their bytes. Commits happen one
 * after the other, each version of the rows is a copy, and a conflict is looked for in all that the kept versions
 * wrote.
 */
@NullMarked
package dev.couchjobs.fdb.model;

import org.jspecify.annotations.NullMarked;
