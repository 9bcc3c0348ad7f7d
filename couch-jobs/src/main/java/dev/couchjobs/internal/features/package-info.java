/** The list of all features. Not for users. */
@NullMarked
package dev.couchjobs.internal.features;

import org.jspecify.annotations.NullMarked;
