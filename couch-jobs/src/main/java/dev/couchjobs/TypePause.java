package dev.couchjobs;

import java.time.Instant;

/**
 * The pause of a type ({@link JobTypes#pause}).
 *
 * @param since when the type was paused, by the clock of the process that did so
 * @param reason why
 */
public record TypePause(Instant since, String reason) {}
