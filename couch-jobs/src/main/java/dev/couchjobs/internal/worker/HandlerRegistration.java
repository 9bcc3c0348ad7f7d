package dev.couchjobs.internal.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a worker does with the jobs of one type.
 *
 * @param handler the type and its handler
 * @param limit how many of its jobs may run at once; empty for as many as the worker runs
 * @param timeLimit how long each may take
 * @param <D> the type of the jobs' data
 * @param <R> the type of their results
 */
public record HandlerRegistration<D, R>(BoundHandler<D, R> handler, OptionalInt limit, Optional<Duration> timeLimit) {}
