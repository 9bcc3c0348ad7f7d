/**
 * Work items: the jobs of open items, their attempts and their outcomes. Calls steps for the actions that run.
 */
@NullMarked
package dev.couchjobs.bridge.internal.work;

import org.jspecify.annotations.NullMarked;
