package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.groups.GroupPoll.Taken;
import dev.couchjobs.topics.internal.log.StoredMessage;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The messages behind the place of the group.
 *
 * @param ahead outlives this source
 */
record HeadSource(GroupTable table, String group, Claim claim, int limit, boolean isCounted, ReadAhead ahead)
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
    public CompletableFuture<Next> read(Database database) {
        CompletableFuture<Taken> taken = ahead.taken(limit);
        return taken == null
                ? Source.super.read(database)
                : taken.thenApply(this::next).exceptionallyCompose(error -> Source.super.read(database));
    }

    @Override
    public CompletableFuture<Next> peek(ReadTransaction tx) {
        return read(tx).thenApply(this::next);
    }

    private CompletableFuture<Taken> read(ReadTransaction tx) {
        return new GroupPoll(table, group)
                .peek(tx, claim.partition(), limit, claim, ahead.page(tx, limit))
                .thenApply(ahead::taken);
    }

    @Override
    public void readAhead(Database database) {
        ahead.begin(database, limit);
    }

    private Next next(Taken taken) {
        GroupPartition row = taken.before();
        List<StoredMessage> messages = taken.messages();
        if (messages.isEmpty()) {
            return new Next(row.place(), taken.behind(), 0, null, row.parked(), messages);
        }
        Versionstamp first = messages.get(0).stamp();
        boolean isSuspect = row.isSuspect() && !isCounted;
        return new Next(
                row.place(),
                taken.behind(),
                row.failuresOf(first),
                isSuspect ? first : null,
                row.parked(),
                isSuspect ? List.of() : messages);
    }

    @Override
    public CompletableFuture<Boolean> commit(Transaction tx, Next consumed) {
        return consumeAt(tx, consumed).thenApply(Optional::isPresent);
    }

    @Override
    public CompletableFuture<Boolean> commit(Database database, Next consumed) {
        return TopicTransactions.run(database, "consume", tx -> consumeAt(tx, consumed))
                .thenApply(row -> {
                    row.ifPresent(ahead::committed);
                    return row.isPresent();
                });
    }

    /** {@return the new row; empty if the messages are consumed} */
    private CompletableFuture<Optional<GroupPartition>> consumeAt(Transaction tx, Next consumed) {
        return table.held(tx, group, claim)
                .thenApply(row -> row.place().equals(consumed.before())
                        ? Optional.of(consume(tx, row, consumed))
                        : Optional.empty());
    }

    private GroupPartition consume(Transaction tx, GroupPartition row, Next consumed) {
        GroupPartition behind = row.consumedTo(consumed.behind(), 0);
        tx.set(table.keys().partition(group, claim.partition()), behind.encode());
        return behind;
    }
}
