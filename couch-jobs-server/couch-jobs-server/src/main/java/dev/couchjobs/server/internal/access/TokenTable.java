package dev.couchjobs.server.internal.access;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.loop.DurationText;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.Digests;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rows of the access tokens; {@code rfc/034-access-tokens.md} describes them. */
final class TokenTable {
    private static final int TOKENS_MAX = 1_000;
    private static final int TYPES_MAX = 100;
    private static final int TYPE_CHARACTERS_MAX = 200;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
    /** How rows are called whose keys are damaged. */
    private static final String DAMAGED = "key-";

    private static final int DAMAGED_BYTES = 8;
    private static final SafeLog LOG = SafeLog.of(TokenTable.class);
    private static final byte[] ONE = {1, 0, 0, 0, 0, 0, 0, 0};

    private final Subspace rows;
    private final byte[] changes;
    private final InstantSource clock;
    private final Set<UnreadableToken> logged = ConcurrentHashMap.newKeySet();

    TokenTable(Subspace root, InstantSource clock) {
        rows = root.subspace(Tuple.from("token"));
        changes = root.pack(Tuple.from("token_changes"));
        this.clock = clock;
    }

    /** All tokens as one transaction has read them, and the number of changes until then. */
    static final class Snapshot {
        private final byte @Nullable [] changes;
        private final Map<String, StoredToken> byId = new LinkedHashMap<>();
        /** By what they are called. */
        private final Map<String, UnreadableRow> unreadable = new LinkedHashMap<>();

        private Snapshot(byte @Nullable [] changes) {
            this.changes = changes;
        }

        Map<String, StoredToken> byId() {
            return byId;
        }

        List<UnreadableToken> unreadable() {
            return unreadable.values().stream().map(UnreadableRow::token).toList();
        }

        int size() {
            return byId.size() + unreadable.size();
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record UnreadableRow(byte[] key, UnreadableToken token) {}

    /** {@return all tokens} Reads one row if nothing has changed since an earlier snapshot. */
    CompletableFuture<Snapshot> read(ReadTransaction tx, Optional<Snapshot> earlier) {
        return tx.get(changes).thenCompose(number -> {
            if (earlier.filter(known -> Arrays.equals(known.changes, number)).isPresent()) {
                return CompletableFuture.completedFuture(earlier.get());
            }
            return tx.getRange(rows.range(), TOKENS_MAX).asList().thenApply(stored -> {
                Snapshot all = new Snapshot(number);
                stored.forEach(row -> decode(row, all));
                logOnce(all.unreadable());
                return all;
            });
        });
    }

    /** One row that cannot be read concerns no other token. */
    private void decode(KeyValue row, Snapshot all) {
        Optional<String> id = id(row.getKey());
        if (id.isEmpty()) {
            String name = DAMAGED + HexFormat.of().formatHex(Digests.sha256(row.getKey()), 0, DAMAGED_BYTES);
            all.unreadable.put(name, new UnreadableRow(row.getKey(), new UnreadableToken(name, "Its key is damaged.")));
            return;
        }
        try {
            all.byId.put(id.get(), StoredToken.decode(id.get(), row.getValue()));
        } catch (UnreadableTokenException e) {
            UnreadableToken token = new UnreadableToken(id.get(), String.valueOf(e.getMessage()));
            all.unreadable.put(id.get(), new UnreadableRow(row.getKey(), token));
        }
    }

    /** {@return the id of a token, if the key is that of one} */
    private Optional<String> id(byte[] key) {
        try {
            Tuple name = rows.unpack(key);
            return name.size() == 1 ? Optional.of(name.getString(0)).filter(Secret::isId) : Optional.empty();
        } catch (RuntimeException | StackOverflowError e) { // tuples may be nested without end
            return Optional.empty();
        }
    }

    private void logOnce(List<UnreadableToken> unreadable) {
        logged.retainAll(Set.copyOf(unreadable));
        for (UnreadableToken token : unreadable) {
            if (logged.add(token)) {
                LOG.warn(
                        "The row of the access token {} cannot be read, and admits nobody: {} To remove it, revoke the"
                                + " token",
                        token.id(),
                        token.problem());
            }
        }
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
        if (all.size() >= TOKENS_MAX) {
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
            UnreadableRow unreadable = all.unreadable.get(id);
            if (revoked == null && unreadable == null) {
                return false;
            }
            if (revoked != null) {
                requireAnotherAdministrator(all, revoked.token());
            }
            tx.clear(unreadable == null ? rows.pack(Tuple.from(id)) : unreadable.key());
            tx.mutate(MutationType.ADD, changes, ONE);
            return true;
        });
    }

    /** Only an administrator can make tokens: one has to remain for as long as the revoked one would have held. */
    private void requireAnotherAdministrator(Snapshot all, AccessToken revoked) {
        boolean isLast = isAdministrator(revoked)
                && !revoked.isExpired(clock.instant())
                && all.byId().values().stream()
                        .map(StoredToken::token)
                        .noneMatch(other ->
                                !other.id().equals(revoked.id()) && isAdministrator(other) && lasts(other, revoked));
        if (isLast) {
            throw new ProblemException(Problem.of(409, "last-administrator", "This is the last administrator's token.")
                    .detail("No other token of the role admin holds for as long: create one that expires no earlier"
                            + " than this one, and then revoke this one."));
        }
    }

    private static boolean isAdministrator(AccessToken token) {
        return token.roles().contains(Role.ADMIN) && token.types().isEmpty();
    }

    /** {@return whether a token expires no earlier than another one} */
    private static boolean lasts(AccessToken token, AccessToken other) {
        return token.expiresAt()
                .map(end ->
                        other.expiresAt().filter(time -> !end.isBefore(time)).isPresent())
                .orElse(true);
    }

    private CompletableFuture<Optional<StoredToken>> find(ReadTransaction tx, String id) {
        return tx.get(rows.pack(Tuple.from(id)))
                .thenApply(row -> Optional.ofNullable(row).map(stored -> decode(id, stored)));
    }

    private static StoredToken decode(String id, byte[] row) {
        try {
            return StoredToken.decode(id, row);
        } catch (UnreadableTokenException e) {
            throw new ProblemException(Problem.of(409, "unreadable-token", "The row of the token cannot be read.")
                    .detail(e.getMessage() + " Update this server, or revoke the token."));
        }
    }

    private void store(Transaction tx, StoredToken token) {
        tx.set(rows.pack(Tuple.from(token.token().id())), token.encode());
        tx.mutate(MutationType.ADD, changes, ONE);
    }
}
