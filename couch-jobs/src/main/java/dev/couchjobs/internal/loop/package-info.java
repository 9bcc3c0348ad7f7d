/** Background loops that survive failures and end with their owner. Not for users. */
@NullMarked
package dev.couchjobs.internal.loop;

import org.jspecify.annotations.NullMarked;
