/** Background work that ends when it is told to. */
@NullMarked
package dev.couchjobs.topics.internal.loops;

import org.jspecify.annotations.NullMarked;
