/**
 * The durable engine's directory and its redo log: what was acknowledged is here before it is anywhere else. Not for
 * users.
 */
@NullMarked
package dev.couchjobs.fdb.internal.log;

import org.jspecify.annotations.NullMarked;
