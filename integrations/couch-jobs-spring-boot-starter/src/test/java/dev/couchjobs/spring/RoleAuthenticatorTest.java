package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Role;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class RoleAuthenticatorTest {
    private final RoleAuthenticator authenticator =
            new RoleAuthenticator(Map.of("OPERATOR", Role.OPERATE, "AUDITOR", Role.READ));

    private static MockHttpServletRequest request(String... roles) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setUserPrincipal(() -> "ann");
        for (String role : roles) {
            request.addUserRole(role);
        }
        return request;
    }

    @Test
    void aRoleOfTheApplicationPermitsWhatTheMapSays() {
        assertThat(authenticator.authenticate(request("OPERATOR")).join())
                .contains(Access.of("ann", Role.READ, Role.OPERATE));
        assertThat(authenticator.authenticate(request("AUDITOR", "CLERK")).join())
                .contains(Access.of("ann", Role.READ));
    }

    @Test
    void aCallerWithoutSuchARoleMayDoNothing() {
        assertThat(authenticator.authenticate(request("CLERK")).join()).contains(Access.of("ann"));
    }

    @Test
    void aCallerThatTheApplicationDoesNotKnowIsNotKnown() {
        assertThat(authenticator.authenticate(new MockHttpServletRequest()).join())
                .isEmpty();
    }

    /** On other threads than that of its start Spring Security knows no caller. */
    @Test
    void aRequestThatWaitsKeepsItsCaller() {
        MockHttpServletRequest request = request("OPERATOR");
        var atFirst = authenticator.authenticate(request).join();
        request.setUserPrincipal(null);

        assertThat(authenticator.authenticate(request).join()).isEqualTo(atFirst);
    }
}
