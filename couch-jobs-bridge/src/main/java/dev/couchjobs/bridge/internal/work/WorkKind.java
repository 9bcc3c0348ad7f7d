package dev.couchjobs.bridge.internal.work;

import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is done for the work items of one kind.
 *
 * @param action does it for an item, whose document is given
 * @param retry how often it is tried
 * @param timeout how long one try may take; without, as long as it takes
 * @param concurrency how many are done at a time on this node
 */
public record WorkKind(
        Function<ObjectNode, Action> action, RetryStrategy retry, Optional<Duration> timeout, int concurrency) {}
