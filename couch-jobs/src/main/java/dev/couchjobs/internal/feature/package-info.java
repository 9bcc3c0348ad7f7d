/** What every feature is made of. Not for users. */
@NullMarked
package dev.couchjobs.internal.feature;

import org.jspecify.annotations.NullMarked;
