package dev.couchjobs.internal.verbs;

import dev.couchjobs.AddResult;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.data.UniqueIndex;
import dev.couchjobs.internal.data.UniqueKey;
import dev.couchjobs.internal.futures.Futures;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

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
     * Adds the jobs.
     *
     * @param allowed fails if a job must not be added
     * @param results receives the result of each request
     */
    CompletableFuture<?> add(JobTransaction jobs, CompletableFuture<?> allowed, Map<AddRequest, AddResult> results) {
        List<byte[]> rowKeys = requests.stream()
                .map(request -> UniqueIndex.rowKey(request.ref().keys(), key(request)))
                .toList();
        return jobs.inOrder(rowKeys, () -> addNow(jobs, allowed, results));
    }

    private CompletableFuture<Void> addNow(
            JobTransaction jobs, CompletableFuture<?> allowed, Map<AddRequest, AddResult> results) {
        return addTogether(jobs, allowed, results)
                .exceptionallyCompose(error -> AddRequest.DuplicateChangedException.isCauseOf(error)
                        ? addAgain(jobs, allowed, results)
                        : CompletableFuture.failedFuture(error));
    }

    /**
     * Adds one half and then the other: the change of one job, here or by another verb of the transaction, may decide
     * whether another is a duplicate. For one job the search is repeated.
     */
    private CompletableFuture<Void> addAgain(
            JobTransaction jobs, CompletableFuture<?> allowed, Map<AddRequest, AddResult> results) {
        int half = requests.size() / 2;
        return half == 0
                ? addNow(jobs, allowed, results)
                : new UniqueBatch(requests.subList(0, half))
                        .addNow(jobs, allowed, results)
                        .thenCompose(first -> new UniqueBatch(requests.subList(half, requests.size()))
                                .addNow(jobs, allowed, results));
    }

    private CompletableFuture<Void> addTogether(
            JobTransaction jobs, CompletableFuture<?> allowed, Map<AddRequest, AddResult> results) {
        return owners(jobs).thenCompose(owners -> {
            List<AddRequest> resolved = resolve(owners);
            Map<AddRequest, AddResult> ofResolved = Collections.synchronizedMap(new IdentityHashMap<>());
            return new AddBatch(resolved).add(jobs, allowed, ofResolved).thenAccept(added -> {
                for (int i = 0; i < requests.size(); i++) {
                    results.put(requests.get(i), Objects.requireNonNull(ofResolved.get(resolved.get(i))));
                }
            });
        });
    }

    private CompletableFuture<List<Optional<UniqueIndex.Owner>>> owners(JobTransaction jobs) {
        List<CompletableFuture<Optional<UniqueIndex.Owner>>> reads = requests.stream()
                .map(request -> UniqueIndex.owner(jobs.tx(), request.ref().keys(), key(request)))
                .toList();
        return Futures.listOf(reads);
    }

    private List<AddRequest> resolve(List<Optional<UniqueIndex.Owner>> owners) {
        List<AddRequest> resolved = new ArrayList<>(requests.size());
        Map<TypedKey, AddRequest> added = new HashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            AddRequest request = requests.get(i);
            resolved.add(request.onto(owners.get(i)).orElseGet(() -> {
                AddRequest earlier = added.putIfAbsent(typedKey(request), request);
                return earlier == null ? request : request.onto(earlier);
            }));
        }
        return resolved;
    }
}
