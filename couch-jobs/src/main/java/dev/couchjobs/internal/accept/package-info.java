/** Claiming: one acceptor per process and type, however many processors wait. Not for users. */
@NullMarked
package dev.couchjobs.internal.accept;

import org.jspecify.annotations.NullMarked;
