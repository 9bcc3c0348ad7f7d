package dev.couchjobs;

import java.util.OptionalInt;

/**
 * The limit of a limit key, as {@link Limits#get} reads it.
 *
 * @param max how many jobs with the key run at once; empty if there is no limit
 * @param taken how many jobs have a slot: they run, or may be claimed unless the key is paused
 * @param isPaused whether the key is paused
 */
public record LimitInfo(OptionalInt max, long taken, boolean isPaused) {}
