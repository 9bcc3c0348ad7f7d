package dev.couchjobs.server.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.server.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often tokens are read. */
class TokenCacheTest {
    private final Database database = EmbeddedDatabase.openInMemory();
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private final AtomicInteger reads = new AtomicInteger();
    private final TokenTable table = new TokenTable(new Subspace(Tuple.from("s")), () -> now);
    private final TokenCache cache = new TokenCache(
            earlier -> {
                reads.incrementAndGet();
                return database.readAsync(tx -> table.read(tx, earlier));
            },
            () -> now);

    @AfterEach
    void close() {
        database.close();
    }

    private String create(String name) {
        return database.runAsync(tx -> table.create(
                        tx, new AccessToken.Wanted(name, Set.of(Role.READ), Optional.empty(), Optional.empty())))
                .join()
                .token()
                .id();
    }

    private boolean isKnown(String id) {
        return cache.find(id).join().isPresent();
    }

    @Test
    void requestsWithinTwoSecondsShareARead() {
        String id = create("a");
        for (int i = 0; i < 100; i++) {
            assertThat(isKnown(id)).isTrue();
        }
        assertThat(reads).hasValue(1);
        database.runAsync(tx -> table.revoke(tx, id)).join();
        now = now.plus(TokenCache.OLDEST).minusMillis(1);
        assertThat(isKnown(id)).isTrue();
        now = now.plusMillis(1);
        assertThat(isKnown(id)).isFalse();
    }

    @Test
    void idsThatAreNotKnownCostAReadAtMostEachFifthOfASecond() {
        create("a");
        for (int i = 0; i < 100; i++) {
            assertThat(isKnown("0123456789abcdef")).isFalse();
        }
        assertThat(reads).hasValue(1);
        String id = create("b");
        assertThat(isKnown(id)).isFalse();
        now = now.plus(TokenCache.OLDEST_WITHOUT_ID);
        assertThat(isKnown(id)).isTrue();
        assertThat(reads).hasValue(2);
    }

    @Test
    void aClockThatIsSetBackMakesNothingFresh() {
        String id = create("a");
        assertThat(isKnown(id)).isTrue();
        database.runAsync(tx -> table.revoke(tx, id)).join();
        now = now.minusSeconds(3600);
        assertThat(isKnown(id)).isFalse();
    }

    @Test
    void aReadThatCannotBeginFailsAndTheNextOneIsTried() {
        String id = create("a");
        AtomicBoolean isClosed = new AtomicBoolean(true);
        TokenCache closed = new TokenCache(
                earlier -> {
                    if (isClosed.get()) {
                        throw new IllegalStateException("closed");
                    }
                    return database.readAsync(tx -> table.read(tx, earlier));
                },
                () -> now);
        assertThat(closed.find(id)).failsWithin(Duration.ofSeconds(10));
        isClosed.set(false);
        assertThat(closed.find(id).orTimeout(10, TimeUnit.SECONDS).join()).isPresent();
    }
}
