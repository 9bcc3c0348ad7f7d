package dev.couchjobs.spring;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * What the roles that a caller has in the application permit in the API.
 *
 * @param roles by the names of roles of the application; each also permits to read
 */
record RoleAuthenticator(Map<String, Role> roles) implements Authenticator {
    private static final String KNOWN = RoleAuthenticator.class.getName();

    /**
     * A request that waits is asked for again from other threads, on which the application's security knows no caller:
     * it keeps what it had at its start.
     */
    @Override
    public CompletableFuture<Optional<Access>> authenticate(HttpServletRequest request) {
        if (request.getAttribute(KNOWN) instanceof Access known) {
            return CompletableFuture.completedFuture(Optional.of(known));
        }
        Optional<Access> access =
                Optional.ofNullable(request.getUserPrincipal()).map(caller -> access(caller, request));
        access.ifPresent(found -> request.setAttribute(KNOWN, found));
        return CompletableFuture.completedFuture(access);
    }

    private Access access(Principal caller, HttpServletRequest request) {
        Set<Role> permitted = EnumSet.noneOf(Role.class);
        roles.forEach((name, role) -> {
            if (request.isUserInRole(name)) {
                permitted.add(Role.READ);
                permitted.add(role);
            }
        });
        return new Access(caller.getName(), permitted, Optional.empty());
    }
}
