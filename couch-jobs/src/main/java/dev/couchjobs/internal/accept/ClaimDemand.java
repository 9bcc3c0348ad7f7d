package dev.couchjobs.internal.accept;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How many jobs a transaction claims, and for which callers.
 *
 * @param jobs how many jobs to claim at most, by criteria
 * @param names what the claims name in place of this instance, by criteria, in the order in which they are delivered;
 *     empty if all name the instance
 * @param mayWatch whether this process may watch for new jobs if it finds none
 */
record ClaimDemand(
        Map<ClaimCriteria, Integer> jobs, Map<ClaimCriteria, List<Optional<String>>> names, boolean mayWatch) {

    /** {@return the demand of a try that claims half as many jobs; there are more names than jobs then} */
    ClaimDemand halved() {
        Map<ClaimCriteria, Integer> fewer = new LinkedHashMap<>();
        jobs.forEach((criteria, demand) -> fewer.put(criteria, Math.max(1, demand / 2)));
        return new ClaimDemand(fewer, names, mayWatch);
    }

    Set<ClaimCriteria> criteria() {
        return jobs.keySet();
    }

    int jobsFor(ClaimCriteria criteria) {
        return jobs.getOrDefault(criteria, 0);
    }

    int total() {
        return jobs.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** {@return whether this process is one of those that elect a leader to watch for jobs} */
    boolean electsLeader() {
        return mayWatch && jobs.keySet().stream().allMatch(ClaimCriteria::electsLeader);
    }
}
