package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.log.StoredMessage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One message that is parked. There is none if the topic does not keep it any more. */
record ParkedSource(GroupTable table, String group, Claim claim, Versionstamp stamp) implements Source {

    @Override
    public CompletableFuture<Next> take(Transaction tx) {
        return peek(tx).thenCompose(next ->
                commit(tx, next).thenApply(isThere -> isThere ? next : withMessages(next, List.of())));
    }

    @Override
    public CompletableFuture<Next> peek(ReadTransaction tx) {
        CompletableFuture<Optional<StoredMessage>> message =
                table.log().reader().find(tx, claim.partition(), stamp);
        CompletableFuture<Integer> failures =
                tx.get(key()).thenApply(value -> value == null ? 0 : Consumption.decode(value));
        return table.held(tx, group, claim)
                .thenCombine(
                        failures,
                        (row, failed) -> new Next(row.place(), row.place(), failed, null, row.parked(), List.of()))
                .thenCombine(
                        message,
                        (next, found) -> withMessages(next, found.stream().toList()));
    }

    private static Next withMessages(Next next, List<StoredMessage> messages) {
        return new Next(next.before(), next.behind(), next.failures(), null, next.parked(), messages);
    }

    @Override
    public CompletableFuture<Boolean> commit(Transaction tx, Next consumed) {
        return table.held(tx, group, claim).thenCombine(tx.get(key()), (row, value) -> {
            if (value == null) {
                return false;
            }
            tx.clear(key());
            tx.set(
                    table.keys().partition(group, claim.partition()),
                    row.withParked(-1).encode());
            return true;
        });
    }

    private byte[] key() {
        return table.keys().parked(group, claim.partition(), stamp);
    }
}
