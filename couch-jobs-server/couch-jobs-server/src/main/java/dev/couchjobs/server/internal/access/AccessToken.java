package dev.couchjobs.server.internal.access;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * An access token, without its secret.
 *
 * @param name who has it; no two tokens have the same
 * @param types the types for which it has its roles; empty for all
 */
public record AccessToken(
        String id,
        String name,
        Set<Role> roles,
        Optional<Set<String>> types,
        Instant createdAt,
        Optional<Instant> expiresAt) {
    static final Duration OVERLAP_MAX = Duration.ofDays(30);

    /** What a new token is to be. */
    public record Wanted(String name, Set<Role> roles, Optional<Set<String>> types, Optional<Instant> expiresAt) {}

    /**
     * A token with its secret, which is told once.
     *
     * @param text what a caller sends
     */
    public record Issued(AccessToken token, String text) {}

    Access access() {
        return new Access(name, roles, types);
    }

    boolean isExpired(Instant now) {
        return expiresAt.filter(time -> !time.isAfter(now)).isPresent();
    }
}
