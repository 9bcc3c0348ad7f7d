package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feed.TokenSearch;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.RowChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The claims that the tries of one transaction have written. One of them may have committed. */
final class TriedClaims<D> {
    private final ClaimWriter<D> writer;
    private final long token;
    private final TokenSearch search;
    /** By criteria and job id. */
    private final Map<ClaimCriteria, Map<String, ClaimWriter.TriedClaim>> claims = new LinkedHashMap<>();

    /** The locks of claims for calls that claim once. */
    private final Set<UUID> recorded = ConcurrentHashMap.newKeySet(0);

    TriedClaims(ClaimParts<D> parts) {
        this(parts, parts.environment.random().nextLong());
    }

    /** @param token identifies the transaction */
    TriedClaims(ClaimParts<D> parts, long token) {
        this.writer = parts.writer;
        this.token = token;
        this.search = new TokenSearch(parts.keys, token);
    }

    /** {@return the search for an earlier try whose result is unknown} */
    TokenSearch search() {
        return search;
    }

    /** Writes claims, and loads the data of the jobs. */
    List<CompletableFuture<GrantedClaim<D>>> write(Transaction tx, ClaimCriteria criteria, List<RowChange> changes) {
        return writer.write(tx, token, changes, claims.computeIfAbsent(criteria, unused -> new LinkedHashMap<>()));
    }

    /** Notes claims that a row of their call names. */
    void recorded(List<GrantedClaim<?>> ofCall) {
        ofCall.forEach(claim -> recorded.add(claim.job().lock()));
    }

    /** {@return the claims of the try that has committed, if they are still held, and no row of a call names them} */
    CompletableFuture<Map<ClaimCriteria, List<GrantedClaim<D>>>> committed(Transaction tx) {
        Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> reads = new LinkedHashMap<>();
        claims.forEach((criteria, ofCriteria) -> {
            List<CompletableFuture<Optional<GrantedClaim<D>>>> jobs = new ArrayList<>();
            ofCriteria.forEach((jobId, tried) -> jobs.add(writer.heldBy(tx, jobId, tried)));
            reads.put(criteria, Futures.presentOf(jobs).thenApply(this::unrecorded));
        });
        return Futures.valuesOf(reads);
    }

    /** Calls that claim once read their rows: these say which of the claims are theirs. */
    private List<GrantedClaim<D>> unrecorded(List<GrantedClaim<D>> held) {
        return held.stream()
                .filter(claim -> !recorded.contains(claim.job().lock()))
                .toList();
    }
}
