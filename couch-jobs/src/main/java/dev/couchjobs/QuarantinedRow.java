package dev.couchjobs;

/**
 * A row that could not be decoded and was moved out of the way.
 *
 * @param id names the row in quarantine
 * @param row the key that the row had, as text
 * @param reason why the row could not be decoded
 */
public record QuarantinedRow(String id, String row, String reason) {}
