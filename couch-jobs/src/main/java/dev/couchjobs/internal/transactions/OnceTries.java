package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feed.TokenSearch;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The tries of a verb that takes effect once. All tries write the same token to the feed, so a later try finds it. */
final class OnceTries<T extends @Nullable Object> {
    private final long token;
    private final List<TokenSearch> searches;
    private final AtomicInteger count = new AtomicInteger();

    /** Only the last try can have committed: each later try would have found the token of an earlier commit. */
    private volatile @Nullable CompletableFuture<T> lastResult;

    OnceTries(List<TypeKeys> types, long token) {
        this.token = token;
        searches = types.stream().map(type -> new TokenSearch(type, token)).toList();
    }

    /** {@return the number of a new try, from 0} */
    int nextNumber() {
        return count.getAndIncrement();
    }

    /** Records that a try ended with an unknown result. */
    void mayHaveCommitted() {
        searches.forEach(TokenSearch::mayHaveCommitted);
    }

    CompletableFuture<Boolean> hasCommitted(Transaction tx) {
        List<CompletableFuture<Boolean>> searched =
                searches.stream().map(search -> search.hasCommitted(tx)).toList();
        return Futures.allOf(searched).thenApply(done -> searched.stream().anyMatch(CompletableFuture::join));
    }

    JobStore jobs(Transaction tx) {
        return JobStore.of(tx).withToken(token);
    }

    /** {@return the result of a try, recorded for {@link #result}} */
    CompletableFuture<T> recordResult(CompletableFuture<T> result) {
        return result.whenComplete((value, error) -> {
            if (error == null) {
                lastResult = result;
            }
        });
    }

    /** {@return the result of the try that committed} */
    CompletableFuture<T> result() {
        CompletableFuture<T> result = lastResult;
        return result == null
                ? CompletableFuture.failedFuture(new IllegalStateException("No try has reached its commit"))
                : result;
    }
}
