/** A model of CouchDB in memory, for tests and simulation; see {@link dev.couchjobs.bridge.testing.ModelCouch}. */
@NullMarked
package dev.couchjobs.bridge.testing;

import org.jspecify.annotations.NullMarked;
