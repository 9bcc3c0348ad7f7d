/** Directories that each released version has written. */
@NullMarked
package dev.couchjobs.server.stored;

import org.jspecify.annotations.NullMarked;
