/** The actions of steps: shell commands, HTTP requests, and handlers in Java. */
@NullMarked
package dev.couchjobs.bridge.internal.action;

import org.jspecify.annotations.NullMarked;
