/**
 * A model of CouchDB in memory, for tests and simulation: {@link dev.couchjobs.bridge.testing.ModelCouch} is where to
 * start.
 */
@NullMarked
package dev.couchjobs.bridge.testing;

import org.jspecify.annotations.NullMarked;
