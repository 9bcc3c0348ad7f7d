/** Jobs declared by annotated methods; start with {@link dev.couchjobs.annotations.Job}. */
@NullMarked
package dev.couchjobs.annotations;

import org.jspecify.annotations.NullMarked;
