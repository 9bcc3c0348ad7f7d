package dev.couchjobs;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The limits of a limit key, as {@link Limits#get} reads them.
 *
 * @param max how many jobs with the key run at once; empty if there is no limit
 * @param taken how many jobs have a slot: they run, or may be claimed unless the key is paused or has no token left
 * @param isPaused whether the key is paused
 * @param rate how many jobs with the key start in a period; empty if there is no rate
 */
public record LimitInfo(OptionalInt max, long taken, boolean isPaused, Optional<Rate> rate) {}
