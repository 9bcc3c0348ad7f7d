package dev.couchjobs.internal.worker;

import java.time.Duration;
import java.util.Optional;

/**
 * What a worker does with the jobs of one type.
 *
 * @param handler the type and its handler
 * @param limit how many of its jobs may run at once
 * @param timeLimit how long each may take
 * @param <D> the type of the jobs' data
 * @param <R> the type of their results
 */
public record HandlerRegistration<D, R>(BoundHandler<D, R> handler, int limit, Optional<Duration> timeLimit) {}
