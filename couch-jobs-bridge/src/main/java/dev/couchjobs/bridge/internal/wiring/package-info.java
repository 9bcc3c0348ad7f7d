/** Connects the parts of a bridge according to its configuration. */
@NullMarked
package dev.couchjobs.bridge.internal.wiring;

import org.jspecify.annotations.NullMarked;
