package dev.couchjobs.internal.data;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Versionstamp;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether an earlier try of a verb has committed, by the token that it would have left in the feed.
 *
 * <p>By the time FoundationDB answers "unknown result", the commit has happened or never will. So what has been looked
 * at need not be looked at again, not even if a transaction grows too old before it comes to the end of a busy feed.
 */
public final class TokenSearch {
    private static final int PAGE = 1_000;

    private final TypeKeys keys;
    private final long token;
    /** Null until the first try has begun. */
    private volatile @Nullable Versionstamp lookedUpTo;

    private volatile boolean mayHaveCommitted;

    public TokenSearch(TypeKeys keys, long token) {
        this.keys = keys;
        this.token = token;
    }

    /** A try has ended with an unknown result, so from now on this looks for it. */
    public void mayHaveCommitted() {
        mayHaveCommitted = true;
    }

    /** Whether an earlier try has committed; if none may have, it is this transaction and those after it that may. */
    public CompletableFuture<Boolean> hasCommitted(ReadTransaction tx) {
        Versionstamp after = lookedUpTo;
        return after != null && mayHaveCommitted ? searchAfter(tx, after) : lookFrom(tx);
    }

    private CompletableFuture<Boolean> lookFrom(ReadTransaction tx) {
        return tx.getReadVersion().thenApply(version -> {
            lookedUpTo = IncompleteVersionstamps.upTo(version);
            return false;
        });
    }

    private CompletableFuture<Boolean> searchAfter(ReadTransaction tx, Versionstamp after) {
        Function<KeyValue, Seen> decoder =
                row -> new Seen(keys.sequenceOfFeed(row.getKey()), ChangeFeed.hasToken(row, token));
        return Quarantine.range(tx, keys, keys.feedAfter(after), PAGE, false, decoder)
                .thenCompose(page -> {
                    if (page.stream().anyMatch(Seen::carriesToken)) {
                        return CompletableFuture.completedFuture(true);
                    }
                    if (page.size() < PAGE) {
                        return lookFrom(tx); // whatever is tried from now on commits behind it
                    }
                    Versionstamp last = page.get(page.size() - 1).at();
                    lookedUpTo = last;
                    return searchAfter(tx, last);
                });
    }

    private record Seen(Versionstamp at, boolean carriesToken) {}
}
