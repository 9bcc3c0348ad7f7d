/** Messages as callers give them and get them. */
@NullMarked
package dev.couchjobs.topics.internal.messages;

import org.jspecify.annotations.NullMarked;
