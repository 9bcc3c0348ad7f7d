package dev.couchjobs.bridge.internal.work;

import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.document.RetryStrategy;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * The work on items of one kind.
 *
 * @param action creates the action for an item's document
 * @param retry when the action is tried again
 * @param timeout the time limit of one try; empty for none
 * @param concurrency how many items this node works on at once
 */
public record WorkKind(
        Function<ObjectNode, Action> action, RetryStrategy retry, Optional<Duration> timeout, int concurrency) {}
