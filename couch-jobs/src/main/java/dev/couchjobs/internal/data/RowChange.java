package dev.couchjobs.internal.data;

import org.jspecify.annotations.Nullable;

/**
 * One job, as it is and as it is to be.
 *
 * @param ref where it is
 * @param before its row as this transaction has read it, or null if there is none
 * @param after its row to be, or null to remove it
 */
public record RowChange(
        JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {}
