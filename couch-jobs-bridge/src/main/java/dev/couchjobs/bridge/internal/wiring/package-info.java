/** How the parts of a bridge are put together as its configuration says. */
@NullMarked
package dev.couchjobs.bridge.internal.wiring;

import org.jspecify.annotations.NullMarked;
