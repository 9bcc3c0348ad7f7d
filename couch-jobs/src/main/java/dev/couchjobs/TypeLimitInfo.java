package dev.couchjobs;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The limits of a whole type ({@link Limits#ofType}).
 *
 * @param max how many jobs of the type may run at once, or empty if that is not limited
 * @param running how many run
 * @param rate how many may start in a period, or empty if that is not limited
 */
public record TypeLimitInfo(OptionalInt max, long running, Optional<Rate> rate) {}
