/** Utilities of all parts of the bridge. */
@NullMarked
package dev.couchjobs.bridge.internal;

import org.jspecify.annotations.NullMarked;
