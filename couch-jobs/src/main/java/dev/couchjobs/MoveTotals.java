package dev.couchjobs;

/**
 * The rows of one database of a {@link JobsMove}.
 *
 * @param rows the number of rows
 * @param bytes the bytes of their keys and values
 * @param sha256 a digest of all keys and values in order, in hexadecimal
 */
public record MoveTotals(long rows, long bytes, String sha256) {}
