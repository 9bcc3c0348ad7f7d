package dev.couchjobs.testing;

import java.time.Instant;
import java.util.Optional;

/**
 * A job that waits to run.
 *
 * @param id its id
 * @param data its data
 * @param scheduledTime the time before which it is not to run, in whole seconds, or empty if it may run at once
 * @param <D> the type of its data
 */
public record EnqueuedJob<D>(String id, D data, Optional<Instant> scheduledTime) {}
