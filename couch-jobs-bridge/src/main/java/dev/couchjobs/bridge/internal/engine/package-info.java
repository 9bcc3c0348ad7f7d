/**
 * Connects the parts of a bridge, and explains what a document waits for. Calls all other parts; only {@code wiring}
 * calls it.
 */
@NullMarked
package dev.couchjobs.bridge.internal.engine;

import org.jspecify.annotations.NullMarked;
