package dev.couchjobs.internal.transactions;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.TokenSearch;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The tries of a verb that acts once. All of them leave the same token in the feed, so a later try finds it. */
final class OnceTries<T extends @Nullable Object> {
    private final long token;
    private final List<TokenSearch> searches;
    private final AtomicInteger count = new AtomicInteger();

    /** Of several tries at most the last can have committed, or a later one would have found its token. */
    private volatile @Nullable CompletableFuture<T> last;

    OnceTries(List<TypeKeys> types, long token) {
        this.token = token;
        searches = types.stream().map(type -> new TokenSearch(type, token)).toList();
    }

    /** {@return the number of a new try, from 0} */
    int next() {
        return count.getAndIncrement();
    }

    /** A try has ended with an unknown result. */
    void mayHaveCommitted() {
        searches.forEach(TokenSearch::mayHaveCommitted);
    }

    CompletableFuture<Boolean> hasCommitted(Transaction tx) {
        List<CompletableFuture<Boolean>> found =
                searches.stream().map(search -> search.hasCommitted(tx)).toList();
        return CompletableFuture.allOf(found.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> found.stream().anyMatch(CompletableFuture::join));
    }

    JobTransaction unitOfWork(Transaction tx) {
        return JobTransaction.of(tx).withToken(token);
    }

    /** {@return the result of a try, which is kept} */
    CompletableFuture<T> note(CompletableFuture<T> result) {
        return result.whenComplete((value, error) -> {
            if (error == null) {
                last = result;
            }
        });
    }

    /** {@return the result of the try that has committed} */
    CompletableFuture<T> result() {
        CompletableFuture<T> result = last;
        return result == null
                ? CompletableFuture.failedFuture(new IllegalStateException("No try has come to its commit"))
                : result;
    }
}
