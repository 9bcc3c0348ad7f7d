/**
 * Persists batches: in memory, or in the redo log with an overlay over the base. Calls versions, the log and the base.
 */
@NullMarked
package dev.couchjobs.fdb.internal.storage;

import org.jspecify.annotations.NullMarked;
