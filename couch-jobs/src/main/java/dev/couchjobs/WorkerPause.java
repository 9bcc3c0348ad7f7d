package dev.couchjobs;

import java.time.Instant;

/**
 * The pause of a name: workers with the name claim nothing.
 *
 * @param name the name of the workers
 * @param since when they were paused
 */
public record WorkerPause(String name, Instant since) {}
