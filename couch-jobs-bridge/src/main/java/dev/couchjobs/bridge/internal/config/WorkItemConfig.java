package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.document.ActionPlan;

/**
 * What is done for a kind of WorkItem documents.
 *
 * @param action what is run for each
 * @param concurrency how many are run at a time
 */
public record WorkItemConfig(ActionPlan action, int concurrency) {}
