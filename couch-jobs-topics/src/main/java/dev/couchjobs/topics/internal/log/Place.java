package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.tuple.Versionstamp;

/**
 * A place in a partition.
 *
 * @param stamp of the last message before it
 * @param number how many messages were appended before it; too few by those since the last mark if the place was not
 *     reached by reading
 */
public record Place(Versionstamp stamp, long number) {}
