/** The feed of changes: pages, long polls, lines and server-sent events. */
@NullMarked
package dev.couchjobs.server.internal.feed;

import org.jspecify.annotations.NullMarked;
