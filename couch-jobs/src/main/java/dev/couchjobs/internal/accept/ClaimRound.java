package dev.couchjobs.internal.accept;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The requests for which one round claims, with their demands, in the order in which jobs are delivered. */
final class ClaimRound<D> {
    private final Map<ClaimCriteria, List<Allotment<D>>> allotments = new LinkedHashMap<>();
    private final List<ClaimRequest<D>> requests = new ArrayList<>();

    /**
     * The part of a claim that is for one request.
     *
     * @param demand how many jobs to claim for it at most
     */
    record Allotment<D>(ClaimRequest<D> request, int demand) {}

    /** Begins a claim for a request. */
    void add(ClaimRequest<D> request) {
        requests.add(request);
        int demand = request.beginClaim();
        if (demand > 0) {
            allotments
                    .computeIfAbsent(request.criteria(), criteria -> new ArrayList<>())
                    .add(new Allotment<>(request, demand));
        }
    }

    /** Whether no request demands a job. */
    boolean isEmpty() {
        return allotments.isEmpty();
    }

    /**
     * {@return the demand by criteria, bounded by equal shares of one transaction}
     *
     * @param jobsMax how many jobs one transaction claims at most
     */
    Map<ClaimCriteria, Integer> demands(int jobsMax) {
        int share = Math.max(1, jobsMax / allotments.size());
        Map<ClaimCriteria, Integer> demands = new LinkedHashMap<>();
        allotments.forEach((criteria, sameCriteria) -> demands.put(
                criteria,
                Math.min(
                        share, sameCriteria.stream().mapToInt(Allotment::demand).sum())));
        return demands;
    }

    /**
     * {@return what the claims by these criteria name, in their order; empty if all name the instance}
     *
     * @param criteria the criteria
     * @param demand how many claims are made at most
     */
    List<Optional<String>> names(ClaimCriteria criteria, int demand) {
        List<Optional<String>> names = new ArrayList<>();
        Iterator<Allotment<D>> served = allotments(criteria).iterator();
        while (names.size() < demand && served.hasNext()) {
            Allotment<D> allotment = served.next();
            names.addAll(
                    Collections.nCopies(allotment.demand(), allotment.request().by()));
        }
        return names.stream().anyMatch(Optional::isPresent) ? names : List.of();
    }

    /** The allotments with these criteria; those that were given jobs have been removed. */
    List<Allotment<D>> allotments(ClaimCriteria criteria) {
        return allotments.getOrDefault(criteria, List.of());
    }

    List<ClaimRequest<D>> requestsWithDemand() {
        return allotments.values().stream()
                .flatMap(List::stream)
                .map(Allotment::request)
                .toList();
    }

    void end() {
        requests.forEach(ClaimRequest::claimEnded);
    }
}
