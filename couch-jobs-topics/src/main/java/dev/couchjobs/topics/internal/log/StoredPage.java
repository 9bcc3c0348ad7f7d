package dev.couchjobs.topics.internal.log;

import java.util.List;

/**
 * Messages of one partition, in order.
 *
 * @param isEnd whether no further message was committed at the read version
 */
public record StoredPage(List<StoredMessage> messages, boolean isEnd) {}
