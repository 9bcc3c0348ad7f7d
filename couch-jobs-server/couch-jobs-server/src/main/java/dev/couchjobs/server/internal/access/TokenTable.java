package dev.couchjobs.server.internal.access;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.loop.DurationText;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rows of the access tokens; {@code rfc/034-access-tokens.md} describes them. */
final class TokenTable {
    private static final int TOKENS_MAX = 1_000;
    private static final int TYPES_MAX = 100;
    private static final int TYPE_CHARACTERS_MAX = 200;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
    private static final byte[] ONE = {1, 0, 0, 0, 0, 0, 0, 0};

    private final Subspace rows;
    private final byte[] changes;
    private final InstantSource clock;

    TokenTable(Subspace root, InstantSource clock) {
        rows = root.subspace(Tuple.from("token"));
        changes = root.pack(Tuple.from("token_changes"));
        this.clock = clock;
    }

    /** All tokens as one transaction has read them, and the number of changes until then. */
    static final class Snapshot {
        private final byte @Nullable [] changes;
        private final Map<String, StoredToken> byId;

        private Snapshot(byte @Nullable [] changes, Map<String, StoredToken> byId) {
            this.changes = changes;
            this.byId = byId;
        }

        Map<String, StoredToken> byId() {
            return byId;
        }
    }

    /** {@return all tokens} Reads one row if nothing has changed since an earlier snapshot. */
    CompletableFuture<Snapshot> read(ReadTransaction tx, Optional<Snapshot> earlier) {
        return tx.get(changes).thenCompose(number -> {
            if (earlier.filter(known -> Arrays.equals(known.changes, number)).isPresent()) {
                return CompletableFuture.completedFuture(earlier.get());
            }
            return tx.getRange(rows.range(), TOKENS_MAX).asList().thenApply(stored -> {
                Map<String, StoredToken> byId = new LinkedHashMap<>();
                for (KeyValue row : stored) {
                    String id = rows.unpack(row.getKey()).getString(0);
                    byId.put(id, StoredToken.decode(id, row.getValue()));
                }
                return new Snapshot(number, byId);
            });
        });
    }

    /** {@return a new token} Reads all of them, so that no other gets the same name. */
    CompletableFuture<AccessToken.Issued> create(Transaction tx, AccessToken.Wanted wanted) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        check(wanted, now);
        Secret secret = Secret.create();
        AccessToken token = new AccessToken(
                secret.id(),
                wanted.name(),
                wanted.roles(),
                wanted.types(),
                now,
                wanted.expiresAt().map(time -> time.truncatedTo(ChronoUnit.MILLIS)));
        return read(tx, Optional.empty()).thenApply(all -> {
            requireRoom(all, wanted.name());
            store(tx, StoredToken.of(token, secret.digest()));
            return new AccessToken.Issued(token, secret.text());
        });
    }

    private static void check(AccessToken.Wanted wanted, Instant now) {
        if (!NAME.matcher(wanted.name()).matches()) {
            throw new IllegalArgumentException("A token's name has 1 to 64 letters, digits, '.', '_', '@' or '-', and"
                    + " begins with a letter or a digit.");
        }
        if (wanted.roles().isEmpty()) {
            throw new IllegalArgumentException("A token needs a role: one of read, add, operate, work and admin.");
        }
        if (wanted.expiresAt().filter(time -> !time.isAfter(now)).isPresent()) {
            throw new IllegalArgumentException("The token would have expired already: give a later time.");
        }
        Set<String> types = wanted.types().orElse(Set.of());
        if (wanted.types().isPresent() && types.isEmpty()) {
            throw new IllegalArgumentException(
                    "A token without any type can do nothing: name types, or leave them out.");
        }
        if (types.size() > TYPES_MAX || types.stream().anyMatch(type -> type.length() > TYPE_CHARACTERS_MAX)) {
            throw new IllegalArgumentException("A token has at most " + TYPES_MAX + " types, with names of at most "
                    + TYPE_CHARACTERS_MAX + " characters.");
        }
        if (wanted.types().isPresent() && wanted.roles().contains(Role.ADMIN)) {
            throw new IllegalArgumentException("An administrator has all types: leave the types out.");
        }
    }

    private static void requireRoom(Snapshot all, String name) {
        if (all.byId().size() >= TOKENS_MAX) {
            throw new ProblemException(Problem.of(409, "too-many-tokens", "There are too many tokens.")
                    .detail("There are " + TOKENS_MAX + " at most: revoke those that are not used."));
        }
        if (all.byId().values().stream().anyMatch(other -> other.token().name().equals(name))) {
            throw new ProblemException(Problem.of(409, "name-taken", "Another token has this name.")
                    .detail("Choose another name, or rotate or revoke the token " + name + "."));
        }
    }

    /** {@return the token with a new secret; its present one holds for a time, and one that is older no longer} */
    CompletableFuture<Optional<AccessToken.Issued>> rotate(Transaction tx, String id, Duration overlap) {
        if (overlap.isNegative() || overlap.compareTo(AccessToken.OVERLAP_MAX) > 0) {
            throw new IllegalArgumentException("Two secrets overlap for at most "
                    + DurationText.of(AccessToken.OVERLAP_MAX) + ", not " + DurationText.of(overlap) + ".");
        }
        Secret secret = Secret.ofToken(id);
        return find(tx, id)
                .thenApply(found -> found.map(stored -> {
                    store(tx, stored.rotated(secret.digest(), clock.instant().plus(overlap)));
                    return new AccessToken.Issued(stored.token(), secret.text());
                }));
    }

    /** {@return whether there was such a token} */
    CompletableFuture<Boolean> revoke(Transaction tx, String id) {
        return read(tx, Optional.empty()).thenApply(all -> {
            StoredToken revoked = all.byId().get(id);
            if (revoked == null) {
                return false;
            }
            requireAnotherAdministrator(all, revoked.token());
            tx.clear(rows.pack(Tuple.from(id)));
            tx.mutate(MutationType.ADD, changes, ONE);
            return true;
        });
    }

    /** Only an administrator can make tokens. */
    private void requireAnotherAdministrator(Snapshot all, AccessToken revoked) {
        Instant now = clock.instant();
        boolean isLast = isAdministrator(revoked, now)
                && all.byId().values().stream()
                        .map(StoredToken::token)
                        .noneMatch(other -> !other.id().equals(revoked.id()) && isAdministrator(other, now));
        if (isLast) {
            throw new ProblemException(Problem.of(409, "last-administrator", "This is the last administrator's token.")
                    .detail("Create another token of the role admin, and then revoke this one."));
        }
    }

    private static boolean isAdministrator(AccessToken token, Instant now) {
        return token.roles().contains(Role.ADMIN)
                && token.expiresAt().map(now::isBefore).orElse(true);
    }

    private CompletableFuture<Optional<StoredToken>> find(ReadTransaction tx, String id) {
        return tx.get(rows.pack(Tuple.from(id)))
                .thenApply(row -> Optional.ofNullable(row).map(stored -> StoredToken.decode(id, stored)));
    }

    private void store(Transaction tx, StoredToken token) {
        tx.set(rows.pack(Tuple.from(token.token().id())), token.encode());
        tx.mutate(MutationType.ADD, changes, ONE);
    }
}
