/**
 * The watches of keys: those that are armed, and those that a database has outstanding.
 */
@NullMarked
package dev.couchjobs.fdb.internal.watches;

import org.jspecify.annotations.NullMarked;
