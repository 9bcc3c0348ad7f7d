package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.server.TestServer.Response;
import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import dev.couchjobs.server.internal.cli.Typed;
import java.math.BigInteger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Rows of tokens that are damaged, or that a newer server has stored: the server refuses these tokens only. */
@Timeout(120)
class UnreadableTokensTest {
    private static final int NESTED = 90_000;

    private final TestServer server = new TestServer(JobsHttp::tokens);
    private final AccessTokens tokens = new AccessTokens(server.database, server.serverRows, InstantSource.system());
    private final String admin = create("root", Role.ADMIN);
    private final String reader = create("reader", Role.READ);

    private String create(String name, Role role) {
        return tokens.create(new AccessToken.Wanted(name, Set.of(role), Optional.empty(), Optional.empty()))
                .join()
                .text();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    private static String id(String token) {
        return token.substring(3, 19);
    }

    private byte[] key(String id) {
        return server.serverRows.pack(Tuple.from("token", id));
    }

    /** Writes rows of tokens, and lets the servers notice. */
    private void write(Map<String, byte[]> rows) {
        server.database.run(tx -> {
            rows.forEach((id, value) -> tx.set(key(id), value));
            return changed(tx);
        });
    }

    private boolean changed(com.apple.foundationdb.Transaction tx) {
        tx.mutate(MutationType.ADD, server.serverRows.pack(Tuple.from("token_changes")), new byte[] {
            1, 0, 0, 0, 0, 0, 0, 0
        });
        return true;
    }

    private static byte[] changed(byte[] row, UnaryOperator<List<Object>> change) {
        return Tuple.fromList(change.apply(new ArrayList<>(Tuple.fromBytes(row).getItems())))
                .pack();
    }

    private static UnaryOperator<List<Object>> with(int place, @Nullable Object value) {
        return items -> {
            items.set(place, value);
            return items;
        };
    }

    private static byte[] repeated(int value) {
        byte[] bytes = new byte[NESTED];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** {@return rows that cannot be read, by what is wrong with them} */
    private static Map<String, byte[]> damaged(byte[] row) {
        Map<String, byte[]> damaged = new TreeMap<>();
        damaged.put("empty", new byte[0]);
        damaged.put("no tuple", new byte[] {0x7f});
        damaged.put("nested without end", repeated(0x05));
        damaged.put("not even an element", repeated(0xff));
        damaged.put("cut", Arrays.copyOf(row, row.length / 2));
        damaged.put("newer", changed(row, with(0, 2L)));
        damaged.put("of a huge form", changed(row, with(0, BigInteger.ONE.shiftLeft(70))));
        damaged.put("newer and short", Tuple.from(2L).pack());
        damaged.put("of no form", changed(row, with(0, "1")));
        List<Object> items = Tuple.fromBytes(row).getItems();
        for (int i = 0; i < items.size(); i++) {
            damaged.put(
                    "without the elements from " + i,
                    Tuple.fromList(items.subList(0, i)).pack());
            damaged.put("another kind of element " + i, changed(row, with(i, true)));
            boolean mayBeNull = i == 3 || i == 5 || i == 7;
            if (!mayBeNull) {
                damaged.put("null at " + i, changed(row, with(i, null)));
            }
        }
        damaged.put("a short digest", changed(row, with(6, new byte[3])));
        damaged.put("a short earlier digest", changed(row, with(7, new byte[3])));
        damaged.put("a role of no name", changed(row, with(2, Tuple.from(1L))));
        damaged.put("a type of no name", changed(row, with(3, Tuple.from((Object) null))));
        return damaged;
    }

    private byte[] row(String id) {
        return server.database.run(tx -> tx.get(key(id)).join());
    }

    private int statusOf(String token) {
        return server.get("/v1/types", bearer(token)).status();
    }

    private JsonNode unreadable() {
        return server.get("/v1/tokens", bearer(admin)).body().path("unreadable");
    }

    @Test
    void damagedRowsRefuseTheirOwnTokensAndAreRemovedByTheirIds() {
        Map<String, String> victims = new TreeMap<>();
        Map<String, byte[]> rows = new TreeMap<>();
        damaged(row(id(reader))).forEach((what, row) -> {
            String victim = create("victim" + victims.size(), Role.READ);
            victims.put(what, victim);
            rows.put(id(victim), row);
        });
        victims.forEach((what, victim) -> awaitStatus(200, what, victim));
        write(rows);
        victims.forEach((what, victim) -> awaitStatus(401, what, victim));

        assertThat(statusOf(reader)).isEqualTo(200);
        Response list = server.get("/v1/tokens", bearer(admin));
        assertThat(list.body().get("items")).hasSize(2);
        assertThat(list.body()
                        .get("unreadable")
                        .valueStream()
                        .map(each -> each.get("id").stringValue()))
                .containsExactlyInAnyOrderElementsOf(rows.keySet());
        tokens.revoke(id(create("added", Role.READ))).join();
        victims.forEach((what, victim) -> {
            String path = "/v1/tokens/" + id(victim);
            assertThat(server.post(path + "/rotate", "", bearer(admin)).problem())
                    .as(what)
                    .isEqualTo("unreadable-token");
            assertThat(server.delete(path, bearer(admin)).status()).as(what).isEqualTo(204);
            assertThat(server.delete(path, bearer(admin)).status()).as(what).isEqualTo(404);
        });
        assertThat(unreadable().isMissingNode()).isTrue();
    }

    /** Asks until the server has noticed what was written. */
    private void awaitStatus(int expected, String what, String token) {
        int before = expected == 200 ? 401 : 200;
        int status = statusOf(token);
        while (status == before) {
            dev.couchjobs.fdb.testing.Polling.pause();
            status = statusOf(token);
        }
        assertThat(status).as(what).isEqualTo(expected);
    }

    private List<byte[]> damagedKeys() {
        byte[] prefix = server.serverRows.pack(Tuple.from("token"));
        return List.of(
                server.serverRows.pack(Tuple.from("token", "not-an-id")),
                server.serverRows.pack(Tuple.from("token", 7L)),
                server.serverRows.pack(Tuple.from("token", (Object) null)),
                server.serverRows.pack(Tuple.from("token", "0123456789abcdef", "more")),
                server.serverRows.pack(Tuple.from("token", UUID.randomUUID())),
                ByteArrayUtil.join(prefix, new byte[] {0x7f, 1}),
                ByteArrayUtil.join(prefix, new byte[] {0x05, 0x05, 0x05}),
                ByteArrayUtil.join(prefix, Arrays.copyOf(repeated(0x05), 9_000)),
                ByteArrayUtil.join(prefix, new byte[] {0x02, 'a'}));
    }

    @Test
    void rowsWithDamagedKeysRefuseNobodyAndAreRemoved() {
        byte[] row = row(id(reader));
        server.database.run(tx -> {
            damagedKeys().forEach(key -> tx.set(key, row));
            return changed(tx);
        });
        create("another", Role.READ);

        assertThat(statusOf(reader)).isEqualTo(200);
        assertThat(server.get("/v1/tokens", bearer(admin)).body().get("items")).hasSize(3);
        assertThat(unreadable()).hasSize(damagedKeys().size());
        for (JsonNode each : unreadable()) {
            assertThat(server.delete("/v1/tokens/" + each.get("id").stringValue(), bearer(admin))
                            .status())
                    .isEqualTo(204);
        }
        assertThat(unreadable().isMissingNode()).isTrue();
        assertThat(statusOf(reader)).isEqualTo(200);
    }

    @Test
    void theCommandLineListsAndRemovesThem() {
        String victim = create("victim", Role.READ);
        write(Map.of(id(victim), changed(row(id(victim)), with(0, 2L))));
        String url = server.uri("/").toString();
        Typed typed = new Typed().with("COUCH_JOBS_TOKEN", admin);

        Typed.Ran list = typed.run("token", "list", "--url", url);
        assertThat(list.exitCode()).isZero();
        assertThat(list.out()).contains(id(reader)).doesNotContain(id(victim));
        assertThat(list.err()).contains(id(victim), "newer server", "couch-jobs token revoke " + id(victim));
        assertThat(typed.run("token", "revoke", id(victim), "--url", url).exitCode())
                .isZero();
        assertThat(typed.run("token", "list", "--url", url).err()).isEmpty();
    }
}
