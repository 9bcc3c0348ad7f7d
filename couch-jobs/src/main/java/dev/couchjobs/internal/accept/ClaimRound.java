package dev.couchjobs.internal.accept;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
     * {@return the demand, bounded by equal shares of one transaction}
     *
     * @param jobsMax how many jobs one transaction claims at most
     * @param mayWatch whether this process may watch for new jobs if it finds none
     */
    ClaimDemand demand(int jobsMax, boolean mayWatch) {
        int share = Math.max(1, jobsMax / allotments.size());
        Map<ClaimCriteria, Integer> jobs = new LinkedHashMap<>();
        Map<ClaimCriteria, List<ClaimDemand.Caller>> callers = new HashMap<>();
        allotments.forEach((criteria, sameCriteria) -> {
            int all = sameCriteria.stream().mapToInt(Allotment::demand).sum();
            int demand = Math.min(share, all);
            jobs.put(criteria, demand);
            callers.put(criteria, callers(sameCriteria, demand));
        });
        return new ClaimDemand(jobs, callers, mayWatch);
    }

    private static <D> List<ClaimDemand.Caller> callers(List<Allotment<D>> allotments, int demand) {
        List<ClaimDemand.Caller> callers = new ArrayList<>();
        Iterator<Allotment<D>> served = allotments.iterator();
        while (callers.size() < demand && served.hasNext()) {
            Allotment<D> allotment = served.next();
            ClaimRequest<D> request = allotment.request();
            callers.addAll(
                    Collections.nCopies(allotment.demand(), new ClaimDemand.Caller(request.by(), request.callRow())));
        }
        return callers.stream().anyMatch(ClaimDemand.Caller::isKnown) ? callers : List.of();
    }

    /** Removes the allotments of calls that have claimed before. {@return their requests} */
    List<ClaimRequest<D>> remove(Set<CallRow> refused) {
        List<ClaimRequest<D>> removed = new ArrayList<>();
        if (!refused.isEmpty()) {
            allotments
                    .values()
                    .forEach(all -> all.removeIf(allotment -> {
                        boolean isRefused = allotment
                                .request()
                                .callRow()
                                .filter(refused::contains)
                                .isPresent();
                        return isRefused && removed.add(allotment.request());
                    }));
        }
        return removed;
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
