/** Reports what an instance does to its listeners. */
@NullMarked
package dev.couchjobs.topics.internal.observe;

import org.jspecify.annotations.NullMarked;
