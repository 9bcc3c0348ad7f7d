/**
 * Where committed data rests once it has left the window of versions that can still be read: an ordered store on disk
 * that lags behind the engine's log by design, so it needs no log of its own. Not for use from outside fdb-embedded.
 */
@NullMarked
package dev.couchjobs.fdb.internal.base;

import org.jspecify.annotations.NullMarked;
