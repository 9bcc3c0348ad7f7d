/** The way of a request: find its operation, admit its caller, check it, run it, reply. */
@NullMarked
package dev.couchjobs.server.internal.dispatch;

import org.jspecify.annotations.NullMarked;
