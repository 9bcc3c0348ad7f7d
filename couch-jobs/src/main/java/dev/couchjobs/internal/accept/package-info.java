/** Claims jobs: each process has one acceptor per type, which serves all its processors. Not for users. */
@NullMarked
package dev.couchjobs.internal.accept;

import org.jspecify.annotations.NullMarked;
