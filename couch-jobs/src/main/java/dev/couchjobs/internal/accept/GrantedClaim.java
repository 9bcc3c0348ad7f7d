package dev.couchjobs.internal.accept;

import dev.couchjobs.internal.activity.SharedActivity;
import dev.couchjobs.internal.views.ClaimedJob;

/**
 * A job that has been claimed.
 *
 * @param job the claim
 * @param activity the activity row that the job shares with the jobs claimed together with it, if it shares one
 * @param <D> the type of the job's data
 */
public record GrantedClaim<D>(ClaimedJob<D> job, SharedActivity activity) {}
