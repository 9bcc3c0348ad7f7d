package dev.couchjobs.internal.dependencies;

import dev.couchjobs.DependencyPolicy;

/**
 * A job that waits for a dependency.
 *
 * @param typeName the name of its type
 * @param jobId its id
 * @param policy the effect on the dependent if the dependency does not succeed
 */
public record Dependent(String typeName, String jobId, DependencyPolicy policy) {}
