/** What is left of topics when all that was opened is closed: nothing. */
@NullMarked
package dev.couchjobs.topics.closing;

import org.jspecify.annotations.NullMarked;
