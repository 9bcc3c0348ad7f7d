/**
 * Runs the steps of job documents: begin, action and end. Calls the transaction and the actions.
 */
@NullMarked
package dev.couchjobs.bridge.internal.steps;

import org.jspecify.annotations.NullMarked;
