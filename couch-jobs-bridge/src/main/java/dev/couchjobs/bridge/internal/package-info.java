/** What the parts of the bridge have in common: its threads, and how it helps with names that nobody knows. */
@NullMarked
package dev.couchjobs.bridge.internal;

import org.jspecify.annotations.NullMarked;
