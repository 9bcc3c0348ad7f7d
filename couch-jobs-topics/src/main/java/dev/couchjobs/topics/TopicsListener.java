package dev.couchjobs.topics;

import java.time.Duration;

/**
 * Receives what one instance of {@link Topics} does, for metrics and logs; see {@link TopicsBuilder#listener}. What
 * other instances do is not reported here. Without a listener nothing is collected.
 *
 * <p>The library calls a listener on its own threads and on those of callers, several at the same time. The methods
 * must return quickly and must not block. What they throw is logged and changes nothing. Events are reported after the
 * commit, except {@link #appended} in a transaction of the caller's. A process that dies reports nothing more, so an
 * event is reported at most once.
 */
public interface TopicsListener {

    /**
     * Messages were appended by {@code append} or {@code appendAll}. In a transaction of the caller's this is reported
     * when the verb is done: the transaction may still fail, or be tried again.
     *
     * @param event what was appended
     */
    default void appended(MessagesAppended event) {}

    /**
     * A consumer has handled messages, and its group is behind them.
     *
     * @param event the messages
     */
    default void consumed(MessagesConsumed event) {}

    /**
     * The handler of a consumer has failed for one message. A batch that has failed is handled one by one, and is not
     * reported itself.
     *
     * @param event the message
     */
    default void failed(MessageFailed event) {}

    /**
     * A message has gone to the topic for dead letters, and its group is behind it.
     *
     * @param event the message
     */
    default void deadLettered(MessageDeadLettered event) {}

    /**
     * A consumer has begun to consume a partition.
     *
     * @param event the partition
     */
    default void partitionTaken(PartitionTaken event) {}

    /**
     * A consumer has lost a partition that it has not given back: its heartbeats came too late.
     *
     * @param event the partition
     */
    default void partitionLost(PartitionLost event) {}

    /**
     * Messages that were appended together.
     *
     * @param topic the name of the topic
     * @param messages how many
     */
    record MessagesAppended(String topic, int messages) {}

    /**
     * Messages that were consumed together.
     *
     * @param topic the name of the topic
     * @param group the name of the group
     * @param partition their partition
     * @param messages how many
     * @param took how long it took to read them, to handle them and to commit
     */
    record MessagesConsumed(String topic, String group, int partition, int messages, Duration took) {}

    /**
     * A message that has failed.
     *
     * @param topic the name of the topic
     * @param group the name of the group
     * @param partition its partition
     * @param failures how often it has failed by now
     * @param error the text of the error
     */
    record MessageFailed(String topic, String group, int partition, int failures, String error) {}

    /**
     * A message that has failed as often as it may.
     *
     * @param topic the name of the topic that it comes from
     * @param group the name of the group
     * @param partition its partition there
     */
    record MessageDeadLettered(String topic, String group, int partition) {}

    /**
     * A partition that a consumer has taken.
     *
     * @param topic the name of the topic
     * @param group the name of the group
     * @param partition the partition
     */
    record PartitionTaken(String topic, String group, int partition) {}

    /**
     * A partition that a consumer has lost.
     *
     * @param topic the name of the topic
     * @param group the name of the group
     * @param partition the partition
     */
    record PartitionLost(String topic, String group, int partition) {}
}
