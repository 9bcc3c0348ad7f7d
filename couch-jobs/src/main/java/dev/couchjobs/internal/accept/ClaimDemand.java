package dev.couchjobs.internal.accept;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How many jobs a transaction claims, and for which callers.
 *
 * @param jobs how many jobs to claim at most, by criteria
 * @param callers for whom the claims are, by criteria, in the order in which they are delivered; empty if nobody has a
 *     name or a row
 * @param mayWatch whether this process may watch for new jobs if it finds none
 */
record ClaimDemand(Map<ClaimCriteria, Integer> jobs, Map<ClaimCriteria, List<Caller>> callers, boolean mayWatch) {

    /**
     * For whom a claim is.
     *
     * @param by what the claim names in place of this instance
     * @param row the row of a call that claims once
     */
    record Caller(Optional<String> by, Optional<CallRow> row) {
        boolean isKnown() {
            return by.isPresent() || row.isPresent();
        }
    }

    /** {@return the demand of a try that claims half as many jobs; there are more callers than jobs then} */
    ClaimDemand halved() {
        Map<ClaimCriteria, Integer> fewer = new LinkedHashMap<>();
        jobs.forEach((criteria, demand) -> fewer.put(criteria, Math.max(1, demand / 2)));
        return new ClaimDemand(fewer, callers, mayWatch);
    }

    /** {@return the rows of all calls that claim once, in order} */
    Set<CallRow> rows() {
        return callers.values().stream()
                .flatMap(List::stream)
                .flatMap(caller -> caller.row().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** {@return the demand without that of some calls} */
    ClaimDemand without(Set<CallRow> refused) {
        if (refused.isEmpty()) {
            return this;
        }
        Map<ClaimCriteria, Integer> fewer = new LinkedHashMap<>();
        Map<ClaimCriteria, List<Caller>> others = new HashMap<>(callers);
        jobs.forEach((criteria, demand) -> {
            List<Caller> all = callers.getOrDefault(criteria, List.of());
            List<Caller> left = all.stream()
                    .filter(caller -> caller.row().filter(refused::contains).isEmpty())
                    .toList();
            int most = all.isEmpty() ? demand : Math.min(demand, left.size());
            if (most > 0) {
                fewer.put(criteria, most);
                others.put(criteria, left);
            }
        });
        return new ClaimDemand(fewer, others, mayWatch);
    }

    /** {@return the claims of each call that claims once} */
    Map<CallRow, List<GrantedClaim<?>>> ofCalls(Map<ClaimCriteria, ? extends List<? extends GrantedClaim<?>>> claims) {
        Map<CallRow, List<GrantedClaim<?>>> ofCalls = new LinkedHashMap<>();
        claims.forEach((criteria, claimed) -> {
            List<Caller> all = callers.getOrDefault(criteria, List.of());
            for (int i = 0; i < Math.min(claimed.size(), all.size()); i++) {
                GrantedClaim<?> claim = claimed.get(i);
                all.get(i)
                        .row()
                        .ifPresent(row -> ofCalls.computeIfAbsent(row, unused -> new ArrayList<>())
                                .add(claim));
            }
        });
        return ofCalls;
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
