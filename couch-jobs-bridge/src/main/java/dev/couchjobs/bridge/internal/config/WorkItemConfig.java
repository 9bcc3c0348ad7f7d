package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.time.Duration;
import java.util.Optional;

/**
 * What is done for a kind of WorkItem documents.
 *
 * @param action what is run for each
 * @param concurrency how many are run at a time
 * @param retry how often it is tried
 * @param timeout how long one try may take; without, as long as it takes
 */
public record WorkItemConfig(ActionPlan action, int concurrency, RetryStrategy retry, Optional<Duration> timeout) {}
