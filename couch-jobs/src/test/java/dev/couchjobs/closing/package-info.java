/** What is left of the library when all that was opened is closed: nothing. */
@NullMarked
package dev.couchjobs.closing;

import org.jspecify.annotations.NullMarked;
