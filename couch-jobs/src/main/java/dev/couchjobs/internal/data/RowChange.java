package dev.couchjobs.internal.data;

import org.jspecify.annotations.Nullable;

/**
 * The change of a job's row.
 *
 * @param ref the job
 * @param before the row as this transaction has read it, or null if there is none
 * @param after the new row, or null to remove the row
 */
public record RowChange(
        JobRef ref, @Nullable JobRow before, @Nullable JobRow after) {}
