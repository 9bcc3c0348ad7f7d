/**
 * Dependencies between jobs: linking a job to its dependencies, and updating dependents when a job ends. Not for users.
 */
@NullMarked
package dev.couchjobs.internal.dependencies;

import org.jspecify.annotations.NullMarked;
