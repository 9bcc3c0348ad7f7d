package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobType;
import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers with access tokens. */
@Timeout(60)
class TokenTest {
    /** The place in the row of a token: see rfc/034. */
    private static final int EXPIRES_AT = 5;

    private final TestServer server = new TestServer(JobsHttp::tokens);
    private final AccessTokens elsewhere = new AccessTokens(server.database, server.serverRows, InstantSource.system());
    private final String admin = elsewhere
            .create(new AccessToken.Wanted("root", Set.of(Role.ADMIN), Optional.empty(), Optional.empty()))
            .join()
            .text();

    @AfterEach
    void close() {
        server.close();
    }

    private static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    private Response create(String json) {
        Response created = server.post("/v1/tokens", json, bearer(admin));
        assertThat(created.status()).as(created.detail()).isEqualTo(201);
        return created;
    }

    private static String secret(Response issued) {
        return issued.body().get("token").stringValue();
    }

    private int statusOf(String token) {
        return server.get("/v1/types/mail/counts", bearer(token)).status();
    }

    @Test
    void aCallerWithoutATokenIsRefused() {
        Response none = server.get("/v1/types");
        assertThat(none.status()).isEqualTo(401);
        assertThat(none.header("WWW-Authenticate")).isEqualTo("Bearer");
        for (String wrong : new String[] {
            "Bearer",
            "Bearer ",
            "Bearer x",
            "Basic " + admin,
            "Bearer " + admin.substring(0, admin.length() - 1) + (admin.endsWith("0") ? "1" : "0"),
            "Bearer cj_0123456789abcdef_" + admin.substring(20),
            "Bearer " + admin + ", Bearer " + admin
        }) {
            assertThat(server.get("/v1/types", "Authorization", wrong).problem())
                    .as(wrong)
                    .isEqualTo("unauthenticated");
        }
        assertThat(server.get("/v1/types", "Authorization", "bearer " + admin).status())
                .isEqualTo(200);
        assertThat(server.get("/v1/types", "Authorization", "Bearer " + admin, "Authorization", "Bearer " + admin)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void aCallerIsToldWhatItMay() {
        String reader = secret(create("{'name': 'reader', 'roles': ['read', 'work'], 'types': ['mail']}"));
        assertThat(server.get("/v1/caller", bearer(reader)).body().toString())
                .isEqualTo("{\"name\":\"reader\",\"roles\":[\"read\",\"work\"],\"types\":[\"mail\"],\"tokens\":true}");
        try (TestServer open = TestServer.forEverything()) {
            assertThat(open.get("/v1/caller").body().toString())
                    .isEqualTo("{\"name\":\"test\",\"roles\":[\"admin\"],\"tokens\":false}");
        }
    }

    @Test
    void aTokenHasItsRolesForItsTypes() {
        String reader = secret(create("{'name': 'reader', 'roles': ['read'], 'types': ['mail']}"));
        assertThat(statusOf(reader)).isEqualTo(200);
        assertThat(server.get("/v1/types/other/counts", bearer(reader)).problem())
                .isEqualTo("forbidden");
        assertThat(server.post("/v1/types/mail/jobs", "{'data': 1}", bearer(reader))
                        .problem())
                .isEqualTo("forbidden");
        assertThat(server.get("/v1/tokens", bearer(reader)).problem()).isEqualTo("forbidden");
        assertThat(server.get("/v1/workers", bearer(reader)).problem()).isEqualTo("forbidden");

        String operator = secret(create("{'name': 'operator', 'roles': ['operate', 'read']}"));
        assertThat(server.post("/v1/types/mail/jobs", "{'data': 1}", bearer(operator))
                        .status())
                .isEqualTo(201);
        assertThat(server.post("/v1/tokens", "{'name': 'x', 'roles': ['read']}", bearer(operator))
                        .problem())
                .isEqualTo("forbidden");
    }

    @Test
    void aListHasNoSecrets() {
        Response created = create("{'name': 'reader', 'roles': ['read', 'work'], 'types': ['b', 'a']}");
        assertThat(created.header("Cache-Control")).isEqualTo("no-store");
        Response list = server.get("/v1/tokens", bearer(admin));
        assertThat(list.body().get("items")).hasSize(2);
        assertThat(list.body().toString())
                .contains("\"name\":\"reader\"", "\"roles\":[\"read\",\"work\"]", "\"types\":[\"a\",\"b\"]")
                .doesNotContain(secret(created).substring(20), "token\"");
    }

    @Test
    void noSecretIsStored() {
        Response created = server.post(
                "/v1/tokens",
                "{'name': 'reader', 'roles': ['read']}",
                "Authorization",
                "Bearer " + admin,
                "Idempotency-Key",
                "k");
        assertThat(created.problem()).isEqualTo("no-idempotency");
        String token = secret(create("{'name': 'reader', 'roles': ['read']}"));
        server.post("/v1/types/mail/jobs", "{'data': 1}", "Authorization", "Bearer " + admin, "Idempotency-Key", "k");
        byte[] random = token.substring(20).getBytes(StandardCharsets.US_ASCII);
        boolean isStored =
                server
                        .database
                        .run(tx -> tx.getRange(new byte[0], new byte[] {(byte) 0xff})
                                .asList()
                                .join())
                        .stream()
                        .anyMatch(row -> ByteArrayUtil.printable(row.getValue())
                                .contains(new String(random, StandardCharsets.US_ASCII)));
        assertThat(isStored).isFalse();
    }

    @Test
    void aRotatedTokenHasTwoSecretsForAWhile() {
        Response first = create("{'name': 'reader', 'roles': ['read']}");
        String path = "/v1/tokens/" + first.body().get("id").stringValue() + "/rotate";
        Response second = server.post(path, "", bearer(admin));
        assertThat(statusOf(secret(first))).isEqualTo(200);
        assertThat(statusOf(secret(second))).isEqualTo(200);

        Response third = server.post(path, "{'overlap': 'PT0S'}", bearer(admin));
        assertThat(statusOf(secret(first))).isEqualTo(401);
        assertThat(statusOf(secret(second))).isEqualTo(401);
        assertThat(statusOf(secret(third))).isEqualTo(200);
        assertThat(server.post(path, "{'overlap': 'P31D'}", bearer(admin)).detail())
                .contains("at most 30 d", "31 d");
    }

    @Test
    void aRevokedTokenIsRefusedAtOnce() {
        Response created = create("{'name': 'reader', 'roles': ['read']}");
        assertThat(statusOf(secret(created))).isEqualTo(200);
        String path = "/v1/tokens/" + created.body().get("id").stringValue();
        assertThat(server.delete(path, bearer(admin)).status()).isEqualTo(204);
        assertThat(statusOf(secret(created))).isEqualTo(401);
        assertThat(server.delete(path, bearer(admin)).problem()).isEqualTo("not-found");
    }

    @Test
    void aTokenThatAnotherServerRevokesIsRefusedWithinSeconds() {
        Response created = create("{'name': 'reader', 'roles': ['read']}");
        assertThat(statusOf(secret(created))).isEqualTo(200);
        elsewhere.revoke(created.body().get("id").stringValue()).join();
        Instant revoked = Instant.now();
        while (statusOf(secret(created)) != 401) {
            assertThat(Duration.between(revoked, Instant.now())).isLessThan(Duration.ofSeconds(20));
        }
    }

    /** {@return what a feed tells, which has begun} */
    private BufferedReader follow(String token) throws IOException, InterruptedException {
        HttpResponse<InputStream> feed = HttpClient.newHttpClient()
                .send(
                        server.request(
                                "GET",
                                "/v1/types/mail/feed?feed=continuous&since=now&heartbeat=PT300S",
                                "",
                                bearer(token)),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(feed.statusCode()).isEqualTo(200);
        BufferedReader lines = new BufferedReader(new InputStreamReader(feed.body(), StandardCharsets.UTF_8));
        assertThat(lines.readLine()).isEmpty();
        return lines;
    }

    @Test
    void aFeedEndsWhenAnotherServerRevokesItsToken() throws IOException, InterruptedException {
        Response created = create("{'name': 'reader', 'roles': ['read']}");
        BufferedReader other = follow(secret(create("{'name': 'other', 'roles': ['read']}")));
        BufferedReader feed = follow(secret(created));

        elsewhere.revoke(created.body().get("id").stringValue()).join();

        assertThat(feed.readLine()).isNull();
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}", bearer(admin));
        assertThat(other.readLine()).contains("\"id\":\"a\"");
    }

    @Test
    void aFeedEndsWhenItsTokenExpires() throws IOException, InterruptedException {
        Response created = create("{'name': 'reader', 'roles': ['read']}");
        BufferedReader feed = follow(secret(created));
        Instant soon = Instant.now().plusMillis(1500);
        expire(created.body().get("id").stringValue(), soon);

        assertThat(feed.readLine()).isNull();

        assertThat(Instant.now()).isAfterOrEqualTo(soon.truncatedTo(ChronoUnit.MILLIS));
    }

    /** Lets a token that is in use expire, as if it had been created with that time. */
    private void expire(String id, Instant time) {
        byte[] row = server.serverRows.pack(Tuple.from("token", id));
        byte[] changes = server.serverRows.pack(Tuple.from("token_changes"));
        server.database.run(tx -> {
            List<Object> stored = Tuple.fromBytes(tx.get(row).join()).getItems();
            stored.set(EXPIRES_AT, time.toEpochMilli());
            tx.set(row, Tuple.fromList(stored).pack());
            tx.mutate(MutationType.ADD, changes, new byte[] {1, 0, 0, 0, 0, 0, 0, 0});
            return id;
        });
    }

    @Test
    void whatWaitsEndsWhenItsTokenIsRevoked() {
        Response created = create("{'name': 'worker', 'roles': ['read', 'work', 'operate']}");
        String[] bearer = bearer(secret(created));
        server.post("/v1/types/mail/jobs", "{'id': 'a', 'data': 1}", bearer);
        List<CompletableFuture<Response>> waiting = Stream.of(
                        server.request("GET", "/v1/types/mail/jobs/a/result?timeout=PT300S", "", bearer),
                        server.request("GET", "/v1/feed?feed=longpoll&since=now&timeout=PT300S", "", bearer),
                        server.request(
                                "POST",
                                "/v1/work/claims",
                                "{'requestId': 'r', 'max': 1, 'wait': 'PT50S', 'worker': {'name': 'w', 'id': '"
                                        + UUID.randomUUID() + "', 'types': ['post']}}",
                                bearer))
                .map(server::sendLater)
                .toList();

        assertThat(server.delete("/v1/tokens/" + created.body().get("id").stringValue(), bearer(admin))
                        .status())
                .isEqualTo(204);

        assertThat(waiting).allSatisfy(each -> assertThat(each.join().problem()).isEqualTo("unauthenticated"));
        server.jobs
                .add(server.database, JobType.of("post", Object.class), "b", 1)
                .join();
        // A claim that was on its way when the wait ended is put back, so another worker gets the job.
        assertThat(server.post(
                                "/v1/work/claims",
                                "{'requestId': 's', 'max': 1, 'wait': 'PT50S', 'worker': {'name': 'w', 'id': '"
                                        + UUID.randomUUID() + "', 'types': ['post']}}",
                                bearer(admin))
                        .body()
                        .get("claims")
                        .size())
                .isEqualTo(1);
    }

    @Test
    void aTokenExpires() {
        // For its clock the time is to come, however long the creation takes.
        AccessTokens early = new AccessTokens(server.database, server.serverRows, () -> Instant.EPOCH);
        Instant soon = Instant.now().plusMillis(500).truncatedTo(ChronoUnit.MILLIS);
        String token = early.create(
                        new AccessToken.Wanted("reader", Set.of(Role.READ), Optional.empty(), Optional.of(soon)))
                .join()
                .text();
        Instant asked = Instant.now();
        while (statusOf(token) == 200) {
            assertThat(asked).isBefore(soon);
            asked = Instant.now();
        }
        assertThat(Instant.now()).isAfterOrEqualTo(soon);
    }

    @Test
    void aTokenTellsWhenItExpiresWhichIsNotInThePast() {
        assertThat(create("{'name': 'reader', 'roles': ['read'], 'expiresAt': '2100-01-01T00:00:00Z'}")
                        .body()
                        .get("expiresAt")
                        .stringValue())
                .isEqualTo("2100-01-01T00:00:00Z");
        assertThat(server.post(
                                "/v1/tokens",
                                "{'name': 'x', 'roles': ['read'], 'expiresAt': '2020-01-01T00:00:00Z'}",
                                bearer(admin))
                        .detail())
                .contains("expired already");
    }

    @Test
    void aNameBelongsToOneToken() {
        create("{'name': 'reader', 'roles': ['read']}");
        assertThat(server.post("/v1/tokens", "{'name': 'reader', 'roles': ['work']}", bearer(admin))
                        .problem())
                .isEqualTo("name-taken");
        assertThat(server.post("/v1/tokens", "{'name': 'a b', 'roles': ['work']}", bearer(admin))
                        .status())
                .isEqualTo(400);
        assertThat(server.post("/v1/tokens", "{'name': 'c', 'roles': ['admin'], 'types': ['a']}", bearer(admin))
                        .detail())
                .contains("leave the types out");
    }

    @Test
    void theLastAdministratorCannotBeRevoked() {
        String id =
                server.get("/v1/tokens", bearer(admin)).body().at("/items/0/id").stringValue();
        Response refused = server.delete("/v1/tokens/" + id, bearer(admin));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.detail()).contains("create one that expires no earlier than this one");

        create("{'name': 'second', 'roles': ['admin']}");
        assertThat(server.delete("/v1/tokens/" + id, bearer(admin)).status()).isEqualTo(204);
    }
}
