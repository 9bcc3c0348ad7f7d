package dev.couchjobs.internal.feed;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;

/**
 * One change in the feed of a type.
 *
 * @param sequence the commit that made it
 * @param jobId the job that changed
 * @param state its new state
 */
public record FeedEntry(Versionstamp sequence, String jobId, JobState state) {}
