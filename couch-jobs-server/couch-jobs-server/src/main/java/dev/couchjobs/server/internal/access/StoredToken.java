package dev.couchjobs.server.internal.access;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.server.Role;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A token as it is stored: what is known of it and the digests of its secrets, of which it has two while it is rotated.
 */
final class StoredToken {
    private static final long FORM = 1;
    private static final int EXPIRES = 5;
    private static final int DIGEST_BYTES = 32;

    private final AccessToken token;
    private final byte[] digest;
    private final byte @Nullable [] earlier;
    private final Instant earlierUntil;

    private StoredToken(AccessToken token, byte[] digest, byte @Nullable [] earlier, Instant earlierUntil) {
        this.token = token;
        this.digest = digest;
        this.earlier = earlier;
        this.earlierUntil = earlierUntil;
    }

    static StoredToken of(AccessToken token, byte[] digest) {
        return new StoredToken(token, digest, null, Instant.EPOCH);
    }

    AccessToken token() {
        return token;
    }

    /** {@return the token with another secret, and with its present one until a time} */
    StoredToken rotated(byte[] newDigest, Instant until) {
        return new StoredToken(token, newDigest, digest, until);
    }

    /** {@return whether a secret is one of the token's; how long that takes says nothing about the secret} */
    boolean admits(byte[] shown, Instant now) {
        boolean isCurrent = MessageDigest.isEqual(digest, shown);
        boolean isEarlier = earlier != null && MessageDigest.isEqual(earlier, shown) && now.isBefore(earlierUntil);
        return (isCurrent || isEarlier) && !token.isExpired(now);
    }

    byte[] encode() {
        return Tuple.from(
                        FORM,
                        token.name(),
                        Tuple.fromItems(
                                token.roles().stream().map(Role::name).sorted().toList()),
                        token.types()
                                .map(types -> Tuple.fromItems(new TreeSet<>(types)))
                                .orElse(null),
                        token.createdAt().toEpochMilli(),
                        token.expiresAt().map(Instant::toEpochMilli).orElse(null),
                        digest,
                        earlier,
                        earlierUntil.toEpochMilli())
                .pack();
    }

    /**
     * {@return a token}
     *
     * @throws UnreadableTokenException if a newer server has stored it, or it is damaged
     */
    static StoredToken decode(String id, byte[] row) {
        try {
            Tuple stored = Tuple.fromBytes(row);
            long form = (Long) stored.get(0);
            if (form > FORM) {
                throw new UnreadableTokenException("It has form " + form + ", which a newer server has stored.");
            }
            if (form < FORM) {
                throw new UnreadableTokenException("Its value is damaged.");
            }
            return decode(id, stored);
        } catch (UnreadableTokenException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) { // tuples may be nested without end
            throw new UnreadableTokenException("Its value is damaged.");
        }
    }

    private static StoredToken decode(String id, Tuple stored) {
        Object expires = stored.get(EXPIRES);
        AccessToken token = new AccessToken(
                id,
                Objects.requireNonNull(stored.getString(1)),
                roles(stored.getNestedList(2)),
                stored.get(3) == null ? Optional.empty() : Optional.of(texts(stored.getNestedList(3))),
                Instant.ofEpochMilli(stored.getLong(4)),
                expires == null ? Optional.empty() : Optional.of(Instant.ofEpochMilli((Long) expires)));
        byte[] earlier = stored.getBytes(7);
        return new StoredToken(
                token,
                requireDigest(stored.getBytes(6)),
                earlier == null ? null : requireDigest(earlier),
                Instant.ofEpochMilli(stored.getLong(8)));
    }

    private static byte[] requireDigest(byte[] stored) {
        if (stored.length != DIGEST_BYTES) {
            throw new IllegalArgumentException("A digest has " + DIGEST_BYTES + " bytes.");
        }
        return stored;
    }

    private static Set<Role> roles(List<Object> names) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        List<String> known = Arrays.stream(Role.values()).map(Role::name).toList();
        names.stream().map(String.class::cast).filter(known::contains).forEach(name -> roles.add(Role.valueOf(name)));
        return roles;
    }

    private static Set<String> texts(List<Object> items) {
        List<String> texts = new ArrayList<>();
        items.forEach(item -> texts.add((String) item));
        return Set.copyOf(texts);
    }
}
