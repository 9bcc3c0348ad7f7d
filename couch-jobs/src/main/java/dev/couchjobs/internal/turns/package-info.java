/** Turn keys: whose jobs are next. Not for users. */
@NullMarked
package dev.couchjobs.internal.turns;

import org.jspecify.annotations.NullMarked;
