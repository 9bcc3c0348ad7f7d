package dev.couchjobs.internal.accept;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The clients for which one claim is made, and how many jobs each of them wants: first come, first served. */
final class ClaimRound<D> {
    private final Map<ClaimCriteria, List<Allotment<D>>> allotments = new LinkedHashMap<>();
    private final List<ClaimRequest<D>> asked = new ArrayList<>();

    /** A share of what is claimed. */
    record Allotment<D>(ClaimRequest<D> request, int wanted) {}

    void ask(ClaimRequest<D> request) {
        asked.add(request);
        int wanted = request.wanted();
        if (wanted > 0) {
            allotments
                    .computeIfAbsent(request.criteria(), criteria -> new ArrayList<>())
                    .add(new Allotment<>(request, wanted));
        }
    }

    boolean isEmpty() {
        return allotments.isEmpty();
    }

    /** How many jobs to claim of each kind, if there is room for so many in one transaction. */
    Map<ClaimCriteria, Integer> wanted(int room) {
        int share = Math.max(1, room / allotments.size());
        Map<ClaimCriteria, Integer> wanted = new LinkedHashMap<>();
        allotments.forEach((criteria, ofCriteria) -> wanted.put(
                criteria,
                Math.min(share, ofCriteria.stream().mapToInt(Allotment::wanted).sum())));
        return wanted;
    }

    List<Allotment<D>> of(ClaimCriteria criteria) {
        return allotments.getOrDefault(criteria, List.of());
    }

    List<ClaimRequest<D>> requests() {
        return allotments.values().stream()
                .flatMap(List::stream)
                .map(Allotment::request)
                .toList();
    }

    void end() {
        asked.forEach(ClaimRequest::claimEnded);
    }
}
