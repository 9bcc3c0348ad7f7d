package dev.couchjobs.internal.accept;

import java.util.List;

/**
 * Somebody who goes on taking jobs of one type, as many at once as there is room for.
 *
 * @param <D> the type of the jobs' data
 */
public interface Taker<D> {

    /** How many jobs to claim now; asked at the beginning of every claim. Zero is nothing, until the next poke. */
    int room();

    /** Gives claimed jobs, no more than there was room for. Must not block. */
    void take(List<Claimed<D>> jobs);
}
