package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TouchedRows;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.internal.verbs.FinishTransaction.FinishRequest;
import dev.couchjobs.internal.verbs.FinishTransaction.FinishResult;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One transaction that ends jobs and then claims others: a slot, a place in a sequence or a dependent that an end frees
 * is claimed in the commit that frees it.
 *
 * <p>No end waits for the claims of others. Once a try has failed, the next one writes the ends alone, and each
 * acceptor claims in a transaction of its own.
 */
public final class Exchange {
    private final Database database;
    private final Transactions transactions;
    private final FinishTransaction finishTransaction;

    public Exchange(Instance instance) {
        this.database = instance.database();
        this.transactions = instance.transactions();
        this.finishTransaction = new FinishTransaction(instance);
    }

    /**
     * Ends jobs and claims others. Acts once, also when the result of a commit is unknown.
     *
     * @param ends the claims to end, of any types
     * @param activityRows as for {@link FinishTransaction#endAll}
     * @param claims at most one of each type; all of them have ended when the result completes
     * @return the results of the ends, in their order
     */
    public CompletableFuture<List<FinishResult>> run(
            List<FinishRequest> ends, Collection<byte[]> activityRows, List<JoiningClaim> claims) {
        List<TypeKeys> types = Stream.concat(
                        ends.stream().map(end -> finishTransaction.ref(end).keys()),
                        claims.stream().map(JoiningClaim::keys))
                .distinct()
                .toList();
        Run run = new Run(ends, activityRows, claims);
        return CompletableFuture.completedFuture(types)
                .thenCompose(all -> transactions // a closed database throws
                        .named("exchange", all.size() == 1 ? all.get(0).typeName() : "")
                        .runOnce(database, all, run::tryOnce))
                .whenComplete((results, error) -> {
                    if (error == null) {
                        run.committed();
                    } else {
                        run.abandonClaims();
                    }
                });
    }

    private final class Run {
        private final List<FinishRequest> ends;
        private final Collection<byte[]> activityRows;
        private final List<JoiningClaim> claims;
        private final Set<JobRef> refs;
        private final AtomicBoolean hasTried = new AtomicBoolean();

        Run(List<FinishRequest> ends, Collection<byte[]> activityRows, List<JoiningClaim> claims) {
            this.ends = ends;
            this.refs = ends.stream().map(finishTransaction::ref).collect(Collectors.toSet());
            this.activityRows = activityRows;
            this.claims = claims;
        }

        CompletableFuture<List<FinishResult>> tryOnce(JobStore jobs) {
            TouchedRows.note(jobs.tx());
            CompletableFuture<List<FinishResult>> ended = finishTransaction.endAllIn(jobs, ends, activityRows);
            if (hasTried.getAndSet(true)) {
                abandonClaims();
                return ended;
            }
            return ended.thenCompose(results -> Futures.allOf(claims.stream()
                            .map(claim -> claim.claim(jobs, refs))
                            .toList())
                    .thenApply(claimed -> results));
        }

        /** If the claims have not been abandoned, the first try has committed. */
        void committed() {
            claims.forEach(JoiningClaim::committed);
        }

        void abandonClaims() {
            claims.forEach(JoiningClaim::abandon);
        }
    }
}
