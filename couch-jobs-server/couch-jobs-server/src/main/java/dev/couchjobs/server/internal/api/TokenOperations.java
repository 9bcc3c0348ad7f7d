package dev.couchjobs.server.internal.api;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Access tokens. A reply with a secret is kept nowhere, so these operations take no key of idempotency. */
public final class TokenOperations {
    private static final Duration OVERLAP_STANDARD = Duration.ofHours(1);

    private final AccessTokens tokens;
    private final boolean areUsed;

    /**
     * Makes the operations.
     *
     * @param areUsed whether callers are known by their tokens
     */
    public TokenOperations(AccessTokens tokens, boolean areUsed) {
        this.tokens = tokens;
        this.areUsed = areUsed;
    }

    public void bind(Operations operations) {
        operations.act("getCaller", call -> CompletableFuture.completedFuture(Reply.ok(caller(call.access()))));
        operations.act("listTokens", call -> Replies.ok(tokens.list(), TokenOperations::listing));
        operations.act(
                "createToken", call -> tokens.create(wanted(call.body())).thenApply(issued -> secret(201, issued)));
        operations.act("rotateToken", this::rotate);
        operations.act(
                "revokeToken",
                call -> tokens.revoke(call.id()).thenApply(was -> {
                    if (!was) {
                        throw Replies.notFound("such token");
                    }
                    return Reply.empty(204);
                }));
    }

    private static JsonNode listing(AccessTokens.Listing all) {
        Fields fields = new Fields()
                .putAll("items", all.tokens(), token -> fields(token).node());
        if (!all.unreadable().isEmpty()) {
            fields.putAll(
                    "unreadable",
                    all.unreadable(),
                    token -> new Fields()
                            .put("id", token.id())
                            .put("problem", token.problem())
                            .node());
        }
        return fields.node();
    }

    private JsonNode caller(Access access) {
        Fields fields = new Fields()
                .put("name", access.name())
                .put(
                        "roles",
                        access.roles().stream().map(Fields::constant).sorted().toList());
        access.types().ifPresent(types -> fields.put("types", new TreeSet<>(types)));
        return fields.put("tokens", areUsed).node();
    }

    private CompletableFuture<Reply> rotate(Call call) {
        Duration overlap =
                call.body().has("overlap") ? NewJobs.duration(call.body().get("overlap")) : OVERLAP_STANDARD;
        return tokens.rotate(call.id(), overlap)
                .thenApply(issued -> secret(200, issued.orElseThrow(() -> Replies.notFound("such token"))));
    }

    private static AccessToken.Wanted wanted(JsonNode body) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        body.get("roles").forEach(role -> roles.add(Fields.constant(Role.class, role.stringValue())));
        return new AccessToken.Wanted(
                body.get("name").stringValue(),
                roles,
                body.has("types") ? Optional.of(texts(body.get("types"))) : Optional.empty(),
                body.has("expiresAt") ? Optional.of(NewJobs.time(body.get("expiresAt"))) : Optional.empty());
    }

    private static Set<String> texts(JsonNode array) {
        Set<String> texts = new LinkedHashSet<>();
        array.forEach(text -> texts.add(text.stringValue()));
        return texts;
    }

    private static Reply secret(int status, AccessToken.Issued issued) {
        return Reply.json(
                        status,
                        fields(issued.token()).put("token", issued.text()).node())
                .with("Cache-Control", "no-store");
    }

    private static Fields fields(AccessToken token) {
        Fields fields = new Fields()
                .put("id", token.id())
                .put("name", token.name())
                .put(
                        "roles",
                        token.roles().stream().map(Fields::constant).sorted().toList())
                .put("createdAt", token.createdAt())
                .time("expiresAt", token.expiresAt());
        token.types().ifPresent(types -> fields.put("types", new TreeSet<>(types)));
        return fields;
    }
}
