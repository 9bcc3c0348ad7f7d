package dev.couchjobs.topics.internal.groups;

/**
 * What a member holds of a partition. A transaction of the member commits only while the row of the partition says the
 * same.
 */
public record Claim(String member, int partition, long epoch) {}
