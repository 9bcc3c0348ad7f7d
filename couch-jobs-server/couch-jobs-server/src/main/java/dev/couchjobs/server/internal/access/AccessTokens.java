package dev.couchjobs.server.internal.access;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The access tokens of a database. Safe for use by several threads. */
public final class AccessTokens {
    private final Database database;
    private final TokenTable table;
    private final TokenCache cache;
    private final InstantSource clock;

    /**
     * @param rows the server's own subspace
     */
    public AccessTokens(Database database, Subspace rows, InstantSource clock) {
        this.database = database;
        this.clock = clock;
        table = new TokenTable(rows, clock);
        cache = new TokenCache(earlier -> database.readAsync(tx -> table.read(tx, earlier)), clock);
    }

    public CompletableFuture<AccessToken.Issued> create(AccessToken.Wanted wanted) {
        return changed(database.runAsync(tx -> table.create(tx, wanted)));
    }

    /** All tokens, and the rows among them that this server cannot read. */
    public record Listing(List<AccessToken> tokens, List<UnreadableToken> unreadable) {}

    /** {@return all tokens, by the database} */
    public CompletableFuture<Listing> list() {
        return database.readAsync(tx -> table.read(tx, Optional.empty()))
                .thenApply(all -> new Listing(
                        all.byId().values().stream().map(StoredToken::token).toList(), all.unreadable()));
    }

    public CompletableFuture<Optional<AccessToken.Issued>> rotate(String id, Duration overlap) {
        return changed(database.runAsync(tx -> table.rotate(tx, id, overlap)));
    }

    /** {@return whether there was such a token} */
    public CompletableFuture<Boolean> revoke(String id) {
        return changed(database.runAsync(tx -> table.revoke(tx, id)));
    }

    /** What this server has changed, it knows at once. */
    private <T> CompletableFuture<T> changed(CompletableFuture<T> change) {
        return change.whenComplete((done, error) -> cache.expire());
    }

    /** {@return the token whose secret the text has, unless it has expired} */
    public CompletableFuture<Optional<AccessToken>> find(String text) {
        Optional<Secret> secret = Secret.parse(text);
        if (secret.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return cache.find(secret.get().id())
                .thenApply(
                        found -> found.filter(token -> token.admits(secret.get().digest(), clock.instant()))
                                .map(StoredToken::token));
    }
}
