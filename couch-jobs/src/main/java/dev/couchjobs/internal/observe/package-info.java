/** Reports what an instance does to its listeners, and calls its middleware. */
@NullMarked
package dev.couchjobs.internal.observe;

import org.jspecify.annotations.NullMarked;
