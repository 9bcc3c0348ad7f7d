package dev.couchjobs;

/**
 * What there is on one side of a {@link JobsMove}, and on the other if all is well.
 *
 * @param rows how many rows
 * @param bytes how many bytes of keys and values
 * @param sha256 a digest of all keys and values in order, in hexadecimal
 */
public record MoveTotals(long rows, long bytes, String sha256) {}
