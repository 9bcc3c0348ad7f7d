package dev.couchjobs.server;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What one caller may do: its name, its roles, and the types of jobs for which it has them.
 *
 * @param name who calls, for the audit log
 * @param roles what it may do
 * @param types the names of the types for which it may do so; empty for all types, and for what belongs to no type
 */
public record Access(String name, Set<Role> roles, Optional<Set<String>> types) {
    /**
     * Copies the sets.
     *
     * @param name who calls
     * @param roles what it may do
     * @param types for which types, or empty for all
     */
    public Access {
        Objects.requireNonNull(name, "name");
        roles = Set.copyOf(roles);
        types = types.map(Set::copyOf);
    }

    /**
     * {@return access to all types}
     *
     * @param name who calls
     * @param roles what it may do
     */
    public static Access of(String name, Role... roles) {
        EnumSet<Role> set = EnumSet.noneOf(Role.class);
        Collections.addAll(set, roles);
        return new Access(name, set, Optional.empty());
    }

    /**
     * {@return the same access, to some types only}
     *
     * @param newTypes the names of the types
     */
    public Access onlyTypes(String... newTypes) {
        return new Access(name, roles, Optional.of(Set.of(newTypes)));
    }

    /**
     * {@return whether the caller has a role, or one that includes it}
     *
     * @param role the role
     */
    public boolean has(Role role) {
        return roles.contains(role) || roles.contains(Role.ADMIN) || (role == Role.ADD && roles.contains(Role.OPERATE));
    }

    /**
     * {@return whether the caller has a role for a type}
     *
     * @param role the role
     * @param type the name of the type, or empty for what belongs to no type
     */
    public boolean allows(Role role, Optional<String> type) {
        return has(role)
                && types.map(own -> type.filter(own::contains).isPresent()).orElse(true);
    }
}
