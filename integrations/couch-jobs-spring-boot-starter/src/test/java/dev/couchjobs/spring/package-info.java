/** Applications that use the starter. */
@NullMarked
package dev.couchjobs.spring;

import org.jspecify.annotations.NullMarked;
