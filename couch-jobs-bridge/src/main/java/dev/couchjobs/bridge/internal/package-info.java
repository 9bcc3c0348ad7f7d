/** What the parts of the bridge have in common. */
@NullMarked
package dev.couchjobs.bridge.internal;

import org.jspecify.annotations.NullMarked;
