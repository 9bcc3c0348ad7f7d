/** Programs to run and to copy from. */
@NullMarked
package dev.couchjobs.examples;

import org.jspecify.annotations.NullMarked;
