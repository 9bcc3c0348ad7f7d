package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.futures.Futures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The claims that the tries of one transaction have written. One of them may have committed. */
final class TriedClaims<D> {
    private final ClaimWriter<D> writer;
    private final long token;
    private final TokenSearch search;
    /** By criteria and job id. */
    private final Map<ClaimCriteria, Map<String, ClaimWriter.TriedClaim>> claims = new LinkedHashMap<>();

    TriedClaims(ClaimParts<D> parts) {
        this.writer = parts.writer;
        this.token = parts.environment.random().nextLong();
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

    /** {@return the claims of the try that has committed, if they are still held} */
    CompletableFuture<Map<ClaimCriteria, List<GrantedClaim<D>>>> committed(Transaction tx) {
        Map<ClaimCriteria, CompletableFuture<List<GrantedClaim<D>>>> reads = new LinkedHashMap<>();
        claims.forEach((criteria, ofCriteria) -> {
            List<CompletableFuture<Optional<GrantedClaim<D>>>> jobs = new ArrayList<>();
            ofCriteria.forEach((jobId, tried) -> jobs.add(writer.heldBy(tx, jobId, tried)));
            reads.put(criteria, Futures.presentOf(jobs));
        });
        return Futures.valuesOf(reads);
    }
}
