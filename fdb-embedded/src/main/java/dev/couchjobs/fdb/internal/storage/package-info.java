/**
 * Where batches become durable: in memory, or in the log with an overlay over the base. Calls versions, the log and the
 * base.
 */
@NullMarked
package dev.couchjobs.fdb.internal.storage;

import org.jspecify.annotations.NullMarked;
