package dev.couchjobs.internal.feed;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Searches the feed for the token of an earlier try of a verb, which exists if that try has committed.
 *
 * <p>When FoundationDB returns "unknown result", the commit has happened or never will. A search therefore continues
 * where the previous one ended, even if a transaction became too old before the end of a busy feed.
 */
public final class TokenSearch {
    private static final int PAGE = 1_000;

    private final TypeKeys keys;
    private final long token;
    /** Null until the first try has begun. */
    private volatile @Nullable Versionstamp searchedUpTo;

    private volatile boolean mayHaveCommitted;

    public TokenSearch(TypeKeys keys, long token) {
        this.keys = keys;
        this.token = token;
    }

    /** Records that a try ended with an unknown result; further tries search for it. */
    public void mayHaveCommitted() {
        mayHaveCommitted = true;
    }

    /** {@return whether an earlier try has committed} If no earlier try may have committed, nothing is searched. */
    public CompletableFuture<Boolean> hasCommitted(ReadTransaction tx) {
        Versionstamp after = searchedUpTo;
        return after != null && mayHaveCommitted ? searchAfter(tx, after) : startAt(tx);
    }

    private CompletableFuture<Boolean> startAt(ReadTransaction tx) {
        return tx.getReadVersion().thenApply(version -> {
            searchedUpTo = IncompleteVersionstamps.upTo(version);
            return false;
        });
    }

    private CompletableFuture<Boolean> searchAfter(ReadTransaction tx, Versionstamp after) {
        Function<KeyValue, SearchedEntry> decoder = row ->
                new SearchedEntry(FeedKeys.of(keys).sequenceOfFeed(row.getKey()), ChangeFeed.hasToken(row, token));
        return Quarantine.range(tx, keys, FeedKeys.of(keys).feedAfter(after), PAGE, false, decoder)
                .thenCompose(page -> {
                    if (page.stream().anyMatch(SearchedEntry::carriesToken)) {
                        return CompletableFuture.completedFuture(true);
                    }
                    if (page.size() < PAGE) {
                        return startAt(tx); // further tries commit after the read version
                    }
                    Versionstamp last = page.get(page.size() - 1).at();
                    searchedUpTo = last;
                    return searchAfter(tx, last);
                });
    }

    private record SearchedEntry(Versionstamp at, boolean carriesToken) {}
}
