package dev.couchjobs.server.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The server revokes a token only if an administrator remains who can create tokens for as long as before. */
class LastAdministratorTest {
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final Instant NOW = START.plus(Duration.ofHours(1));
    /** When tokens expire: the first has expired already. */
    private static final List<Optional<Instant>> ENDS = List.of(
            Optional.of(START.plusSeconds(1)),
            Optional.of(NOW.plusSeconds(4)),
            Optional.of(NOW.plus(Duration.ofDays(90))),
            Optional.empty());

    private final Database database = EmbeddedDatabase.openInMemory();
    private Instant now = START;

    @AfterEach
    void close() {
        database.close();
    }

    /** A token, and whether it is of an administrator. */
    private record Given(Role role, Optional<Instant> end) {
        boolean administers(Instant at) {
            return role == Role.ADMIN && end.filter(time -> !time.isAfter(at)).isEmpty();
        }

        boolean administersUntil(Optional<Instant> until) {
            return role == Role.ADMIN
                    && (end.isEmpty()
                            || until.filter(time -> !end.get().isBefore(time)).isPresent());
        }
    }

    private static List<Given> all() {
        List<Given> all = new ArrayList<>();
        for (Role role : List.of(Role.ADMIN, Role.OPERATE)) {
            ENDS.forEach(end -> all.add(new Given(role, end)));
        }
        return all;
    }

    /** {@return whether the first of some tokens can be revoked} */
    private boolean isRevoked(List<Given> given) {
        TokenTable table = new TokenTable(new Subspace(Tuple.from(given.toString())), () -> now);
        now = START;
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            AccessToken.Wanted wanted = new AccessToken.Wanted(
                    "t" + i,
                    Set.of(given.get(i).role()),
                    Optional.empty(),
                    given.get(i).end());
            ids.add(database.runAsync(tx -> table.create(tx, wanted))
                    .join()
                    .token()
                    .id());
        }
        now = NOW;
        try {
            return database.runAsync(tx -> table.revoke(tx, ids.get(0))).join();
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(ProblemException.class).hasMessageContaining("last administrator");
            return false;
        }
    }

    @Test
    void aTokenIsRevokedIfAnAdministratorRemainsForAsLong() {
        for (Given revoked : all()) {
            assertThat(isRevoked(List.of(revoked))).as(revoked.toString()).isEqualTo(!revoked.administers(NOW));
            for (Given other : all()) {
                boolean isFree = !revoked.administers(NOW) || other.administersUntil(revoked.end());
                assertThat(isRevoked(List.of(revoked, other)))
                        .as(revoked + " beside " + other)
                        .isEqualTo(isFree);
                for (Given third : all()) {
                    assertThat(isRevoked(List.of(revoked, other, third)))
                            .as(revoked + " beside " + other + " and " + third)
                            .isEqualTo(isFree || third.administersUntil(revoked.end()));
                }
            }
        }
    }
}
