package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.groups.GroupPoll.Taken;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The messages behind the place of the group.
 *
 * @param expected where the group is if what was read last has committed
 */
record HeadSource(
        GroupTable table,
        String group,
        Claim claim,
        int limit,
        boolean isCounted,
        AtomicReference<@Nullable Versionstamp> expected)
        implements Source {

    @Override
    public CompletableFuture<Next> take(Transaction tx) {
        return read(tx).thenApply(taken -> {
            Next next = next(taken);
            if (!next.isSuspect() && !taken.behind().equals(taken.before().place())) {
                consume(tx, taken.before(), next);
            }
            return next;
        });
    }

    @Override
    public CompletableFuture<Next> peek(ReadTransaction tx) {
        return read(tx).thenApply(this::next);
    }

    private CompletableFuture<Taken> read(ReadTransaction tx) {
        return new GroupPoll(table, group)
                .peek(tx, claim.partition(), limit, claim, expected.get())
                .thenApply(taken -> {
                    expected.set(taken.behind().stamp());
                    return taken;
                });
    }

    private Next next(Taken taken) {
        GroupPartition row = taken.before();
        boolean isSuspect = row.isSuspect() && !isCounted && !taken.messages().isEmpty();
        return new Next(
                row.place(),
                taken.behind(),
                row.failures(),
                isSuspect,
                row.parked(),
                isSuspect ? List.of() : taken.messages());
    }

    @Override
    public CompletableFuture<Boolean> commit(Transaction tx, Next consumed) {
        return table.held(tx, group, claim).thenApply(row -> {
            boolean isThere = row.place().equals(consumed.before());
            if (isThere) {
                consume(tx, row, consumed);
            }
            return isThere;
        });
    }

    private void consume(Transaction tx, GroupPartition row, Next consumed) {
        tx.set(
                table.keys().partition(group, claim.partition()),
                row.consumedTo(consumed.behind(), 0).encode());
    }
}
