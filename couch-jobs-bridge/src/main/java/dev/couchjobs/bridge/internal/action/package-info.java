/** What a step does: a shell command, an HTTP request, or a handler in Java. */
@NullMarked
package dev.couchjobs.bridge.internal.action;

import org.jspecify.annotations.NullMarked;
