/**
 * The redo log and the directory: by example on real files, and as properties on a disk that loses what was not synced.
 */
@NullMarked
package dev.couchjobs.fdb.internal.log;

import org.jspecify.annotations.NullMarked;
