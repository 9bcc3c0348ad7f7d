/** Reports what an instance does to its listeners. */
@NullMarked
package dev.couchjobs.internal.observe;

import org.jspecify.annotations.NullMarked;
