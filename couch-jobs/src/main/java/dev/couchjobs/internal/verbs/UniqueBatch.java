package dev.couchjobs.internal.verbs;

import dev.couchjobs.AddResult;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.UniqueKey;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.unique.UniqueIndex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Adds jobs with unique keys together, each unless it is a duplicate of a stored job or of one before it. */
final class UniqueBatch {
    private final List<AddRequest> requests;

    UniqueBatch(List<AddRequest> requests) {
        this.requests = requests;
    }

    private record TypedKey(TypeKeys type, String text, boolean isDigest) {}

    private static TypedKey typedKey(AddRequest request) {
        UniqueKey unique = key(request);
        return new TypedKey(request.ref().keys(), unique.text(), unique.isDigest());
    }

    private static UniqueKey key(AddRequest request) {
        return Objects.requireNonNull(request.options().unique());
    }

    /**
     * A request, and the one in its place once the duplicates are known.
     *
     * @param resolved the same, or the request for the job of which it is a duplicate
     */
    private record Resolved(AddRequest given, AddRequest resolved) {}

    /**
     * Adds the jobs.
     *
     * @param allowed fails if a job must not be added
     * @param results receives the result of each request
     */
    CompletableFuture<Void> add(JobStore jobs, CompletableFuture<?> allowed, Map<AddRequest, AddResult> results) {
        List<JobRef> refs = requests.stream().map(AddRequest::ref).distinct().toList();
        return jobs.inOrder(
                        rowKeys(),
                        refs,
                        holding -> new PlacedAddition(jobs, holding, Set.copyOf(refs), allowed, results).add(requests))
                .thenCompose(Futures::allOf);
    }

    private List<byte[]> rowKeys() {
        return requests.stream()
                .map(request -> UniqueIndex.rowKey(request.ref().keys(), key(request)))
                .toList();
    }

    /**
     * One addition in a transaction, in its place in the edit order.
     *
     * @param holding edits the given jobs in the place of the addition in the edit order
     * @param held the given jobs
     */
    private record PlacedAddition(
            JobStore jobs,
            JobStore holding,
            Set<JobRef> held,
            CompletableFuture<?> allowed,
            Map<AddRequest, AddResult> results) {

        /**
         * Adds jobs. Some may be duplicates of jobs that are not given, whose edits are queued.
         *
         * @return completes with these queued edits when the given jobs are written
         */
        CompletableFuture<List<CompletableFuture<Void>>> add(List<AddRequest> given) {
            UniqueBatch batch = new UniqueBatch(given);
            JobStore.KeyChanges since = jobs.changesOf(batch.rowKeys());
            return batch.owners(jobs)
                    .thenCompose(owners -> {
                        Map<Boolean, List<Resolved>> byHeld = batch.resolve(owners).stream()
                                .collect(Collectors.partitioningBy(
                                        each -> held.contains(each.resolved().ref())));
                        List<Resolved> others = byHeld.getOrDefault(false, List.of());
                        return write(holding, since, byHeld.getOrDefault(true, List.of()))
                                .<List<CompletableFuture<Void>>>thenApply(
                                        done -> others.isEmpty() ? List.of() : List.of(writeOthers(since, others)));
                    })
                    .exceptionallyCompose(
                            error -> AddRequest.DuplicateChangedException.repeat(error, () -> addAgain(given)));
        }

        /**
         * Adds one half and then the other: the change of one job, here or by another verb of the transaction, may
         * decide whether another is a duplicate. For one job the search is repeated.
         */
        private CompletableFuture<List<CompletableFuture<Void>>> addAgain(List<AddRequest> given) {
            int half = given.size() / 2;
            return half == 0
                    ? add(given)
                    : add(given.subList(0, half))
                            .thenCompose(first -> add(given.subList(half, given.size()))
                                    .thenApply(second -> Stream.concat(first.stream(), second.stream())
                                            .toList()));
        }

        private CompletableFuture<Void> writeOthers(JobStore.KeyChanges since, List<Resolved> others) {
            List<AddRequest> given = others.stream().map(Resolved::given).toList();
            return write(jobs, since, others)
                    .exceptionallyCompose(
                            error -> AddRequest.DuplicateChangedException.repeat(error, () -> addLater(given)));
        }

        /** Adds one half and then the other, as {@link #addAgain} does, but in a new place in the edit order. */
        private CompletableFuture<Void> addLater(List<AddRequest> given) {
            int half = given.size() / 2;
            UniqueBatch last = new UniqueBatch(given.subList(half, given.size()));
            return half == 0
                    ? last.add(jobs, allowed, results)
                    : new UniqueBatch(given.subList(0, half))
                            .add(jobs, allowed, results)
                            .thenCompose(done -> last.add(jobs, allowed, results));
        }

        private CompletableFuture<Void> write(JobStore used, JobStore.KeyChanges since, List<Resolved> part) {
            Map<AddRequest, AddResult> ofResolved = Collections.synchronizedMap(new IdentityHashMap<>());
            AddBatch batch = new AddBatch(part.stream().map(Resolved::resolved).toList());
            return batch.add(used, since, allowed, ofResolved)
                    .thenAccept(added -> part.forEach(each ->
                            results.put(each.given(), Objects.requireNonNull(ofResolved.get(each.resolved())))));
        }
    }

    private CompletableFuture<List<Optional<UniqueIndex.Owner>>> owners(JobStore jobs) {
        List<CompletableFuture<Optional<UniqueIndex.Owner>>> reads = requests.stream()
                .map(request -> UniqueIndex.owner(jobs.tx(), request.ref().keys(), key(request)))
                .toList();
        return Futures.listOf(reads);
    }

    private List<Resolved> resolve(List<Optional<UniqueIndex.Owner>> owners) {
        List<Resolved> resolved = new ArrayList<>(requests.size());
        Map<TypedKey, AddRequest> added = new HashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            AddRequest request = requests.get(i);
            AddRequest onto = request.onto(owners.get(i)).orElseGet(() -> {
                AddRequest earlier = added.putIfAbsent(typedKey(request), request);
                return earlier == null ? request : request.onto(earlier);
            });
            resolved.add(new Resolved(request, onto));
        }
        return resolved;
    }
}
