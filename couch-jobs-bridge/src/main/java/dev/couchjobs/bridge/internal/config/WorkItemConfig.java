package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.time.Duration;
import java.util.Optional;

/**
 * The configuration of one kind of work items.
 *
 * @param action the action for each item
 * @param concurrency how many run at once
 * @param retry when the action is tried again
 * @param timeout the time limit of one try; empty for none
 */
public record WorkItemConfig(ActionPlan action, int concurrency, RetryStrategy retry, Optional<Duration> timeout) {}
