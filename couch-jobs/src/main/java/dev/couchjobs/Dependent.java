package dev.couchjobs;

/**
 * A job that waits for another.
 *
 * @param typeName the name of its type
 * @param jobId its id
 * @param policy what happens to it if the other does not succeed
 */
public record Dependent(String typeName, String jobId, DependencyPolicy policy) {}
