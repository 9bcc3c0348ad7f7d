/** The annotation processor: reads annotated methods, checks them, and writes a class beside theirs. */
@NullMarked
package dev.couchjobs.annotations.internal;

import org.jspecify.annotations.NullMarked;
