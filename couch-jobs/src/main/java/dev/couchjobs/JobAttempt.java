package dev.couchjobs;

import java.time.Instant;
import java.util.Optional;

/**
 * One attempt at a job, from its history.
 *
 * @param claim the number of the claim; the claims on a job are numbered from 1 and never twice alike
 * @param by the name of the instance that made it, or what {@link AcceptOptions#by} says
 * @param since when it was made, by that instance's clock
 * @param until when it ended, by the clock of the process that ended it; empty while it lasts
 * @param end how it ended; empty while it lasts
 * @param error what went wrong, cut to a bounded size
 */
public record JobAttempt(
        long claim,
        String by,
        Instant since,
        Optional<Instant> until,
        Optional<AttemptEnd> end,
        Optional<String> error) {}
