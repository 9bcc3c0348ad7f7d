package dev.couchjobs.server.internal.dispatch;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.http.Digests;
import dev.couchjobs.server.internal.http.EntityTags;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * The replies to requests with a key of idempotency, for a day. A reply is stored by the transaction that the request
 * ran in, so that a repeated request has no second effect, also if the first one's reply was lost or the result of its
 * commit is unknown. Rows:
 *
 * <pre>
 * ("reply", caller, key)          = (digest of the request, status, names and values of headers, begin of the body)
 * ("reply", caller, key, number)  = a further part of the body, from 1
 * ("reply_due", time, caller, key) = ""    each write removes up to two that are due
 * </pre>
 */
final class StoredReplies {
    private static final Duration KEPT = Duration.ofDays(1);
    private static final int REMOVED_BY_WRITE = 2;
    private static final int PART_BYTES = 90_000;
    private static final int BODY_BYTES_MAX = 8_000_000;

    private final Subspace replies;
    private final Subspace due;
    private final InstantSource clock;

    StoredReplies(Subspace root, InstantSource clock) {
        replies = root.subspace(Tuple.from("reply"));
        due = root.subspace(Tuple.from("reply_due"));
        this.clock = clock;
    }

    /**
     * What identifies a write.
     *
     * @param isOfCaller whether the caller gave it, and is told of a repetition
     */
    record Key(String text, boolean isOfCaller) {}

    /** All that the effect of a write follows from, but for its caller. */
    record Request(String operationId, Call call, Optional<EntityTags> ifMatch) {}

    /** Runs a write, or returns the reply of the same write under the same key. */
    CompletableFuture<Reply> once(Transaction tx, Request request, Key key, Supplier<CompletableFuture<Reply>> write) {
        Tuple name = Tuple.from(request.call().access().name(), key.text());
        byte[] digest = digest(request);
        return tx.getRange(rows(name)).asList().thenCompose(stored -> {
            if (!stored.isEmpty()) {
                Reply repeated = repeated(stored, digest);
                return CompletableFuture.completedFuture(
                        key.isOfCaller() ? repeated.with("Idempotent-Replay", "true") : repeated);
            }
            return write.get().thenCombine(removeDue(tx), (reply, removed) -> {
                store(tx, name, digest, reply);
                return reply;
            });
        });
    }

    private Range rows(Tuple name) {
        return new Range(replies.pack(name), replies.range(name).end);
    }

    private static Reply repeated(List<KeyValue> rows, byte[] digest) {
        Tuple stored = Tuple.fromBytes(rows.get(0).getValue());
        if (!Arrays.equals(stored.getBytes(0), digest)) {
            throw new ProblemException(Problem.of(422, "key-reused", "Another request had this Idempotency-Key.")
                    .detail("Use a new key for every request, and the same one to repeat it."));
        }
        Map<String, String> headers = new LinkedHashMap<>();
        List<Object> pairs = stored.getNestedList(2);
        for (int i = 0; i < pairs.size(); i += 2) {
            headers.put((String) pairs.get(i), (String) pairs.get(i + 1));
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(stored.getBytes(3));
        rows.subList(1, rows.size()).forEach(part -> body.writeBytes(part.getValue()));
        return new Reply((int) stored.getLong(1), headers, body.toByteArray());
    }

    private void store(Transaction tx, Tuple name, byte[] digest, Reply reply) {
        if (reply.body().length > BODY_BYTES_MAX) {
            throw new ProblemException(Problem.of(413, "too-many-jobs", "The reply is too large to be kept.")
                    .detail("Send or ask for less at once, or send no Idempotency-Key."));
        }
        Tuple headers = Tuple.fromItems(reply.headers().entrySet().stream()
                .flatMap(header -> List.of(header.getKey(), header.getValue()).stream())
                .toList());
        byte[] body = reply.body();
        tx.set(
                replies.pack(name),
                Tuple.from(digest, reply.status(), headers, part(body, 0)).pack());
        for (int number = 1; number * PART_BYTES < body.length; number++) {
            tx.set(replies.pack(name.add(number)), part(body, number));
        }
        long until = clock.instant().plus(KEPT).toEpochMilli();
        tx.set(due.pack(Tuple.from(until).addAll(name)), new byte[0]);
    }

    private static byte[] part(byte[] body, int number) {
        return Arrays.copyOfRange(body, number * PART_BYTES, Math.min(body.length, (number + 1) * PART_BYTES));
    }

    /** Reads without conflicts: what another request removes is removed. */
    private CompletableFuture<Boolean> removeDue(Transaction tx) {
        byte[] now = due.pack(Tuple.from(clock.millis()));
        return tx.snapshot()
                .getRange(new Range(due.range().begin, now), REMOVED_BY_WRITE)
                .asList()
                .thenApply(rows -> {
                    for (KeyValue row : rows) {
                        tx.clear(row.getKey());
                        tx.clear(rows(due.unpack(row.getKey()).popFront()));
                    }
                    return true;
                });
    }

    /** Each part has its own place: no two requests have the same bytes. */
    private static byte[] digest(Request request) {
        Call call = request.call();
        Tuple tags = request.ifMatch()
                .map(wanted -> Tuple.fromList(wanted.tags()).add(wanted.isAny()))
                .orElseGet(Tuple::new);
        Tuple all = Tuple.from(
                request.operationId(),
                pairs(call.path(), text -> text),
                pairs(call.query(), JsonNode::toString),
                tags,
                call.body().isMissingNode() ? null : Json.write(call.body()));
        return Digests.sha256(all.pack());
    }

    private static <T> Tuple pairs(Map<String, T> values, Function<T, String> toText) {
        Tuple pairs = new Tuple();
        for (Map.Entry<String, T> value : values.entrySet()) {
            pairs = pairs.add(value.getKey()).add(toText.apply(value.getValue()));
        }
        return pairs;
    }
}
