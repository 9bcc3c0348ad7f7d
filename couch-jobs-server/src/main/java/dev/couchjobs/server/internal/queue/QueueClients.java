package dev.couchjobs.server.internal.queue;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The rows of producers, or of consumers: {@code rfc/035-topics.md} describes them. A registration that is not used for
 * so many days is removed by the registrations that follow.
 */
final class QueueClients {
    private static final long FORMAT = 1;
    private static final long KEPT_DAYS = 30;
    private static final int REMOVED_BY_REGISTRATION = 2;
    /** What every language reads from JSON as it was written. */
    private static final long ID_BITS = (1L << 53) - 1;

    private final Subspace rows;
    private final Subspace due;
    private final String kind;
    private final InstantSource clock;

    QueueClients(Subspace root, String kind, InstantSource clock) {
        rows = root.subspace(Tuple.from("queue", kind));
        due = root.subspace(Tuple.from("queue_due", kind));
        this.kind = kind;
        this.clock = clock;
    }

    /**
     * What is registered.
     *
     * @param partition the only one, if it was registered for one
     */
    record Client(String topic, OptionalInt partition) {}

    /** A client that was removed. */
    record Removed(long id, Client client) {}

    /** @param dueDay after which it is removed, unless it is used; 0 if it was registered before that was written */
    private record Row(Client client, long dueDay) {
        private byte[] encode() {
            Integer partition =
                    client.partition().isPresent() ? client.partition().getAsInt() : null;
            return Tuple.from(FORMAT, client.topic(), partition, dueDay).pack();
        }

        private static Row decode(byte[] value) {
            Tuple row = Tuple.fromBytes(value);
            OptionalInt partition =
                    row.size() > 2 && row.get(2) != null ? OptionalInt.of((int) row.getLong(2)) : OptionalInt.empty();
            return new Row(new Client(row.getString(1), partition), row.size() > 3 ? row.getLong(3) : 0);
        }
    }

    private long today() {
        return TimeUnit.MILLISECONDS.toDays(clock.millis());
    }

    /** {@return the id under which a client is registered} */
    CompletableFuture<Long> add(Transaction tx, Client client) {
        long id =
                1 + (ByteBuffer.wrap(ServerEnvironment.randomBytes(Long.BYTES)).getLong() & ID_BITS) % ID_BITS;
        return tx.get(rows.pack(id)).thenCompose(present -> {
            if (present != null) {
                return add(tx, client);
            }
            write(tx, id, new Row(client, today() + KEPT_DAYS));
            return CompletableFuture.completedFuture(id);
        });
    }

    private void write(Transaction tx, long id, Row row) {
        tx.set(rows.pack(id), row.encode());
        tx.set(due.pack(Tuple.from(row.dueDay(), id)), new byte[0]);
    }

    /** {@return a client; fails with a {@link ProblemException} if it is not registered for the topic} */
    CompletableFuture<Client> get(ReadTransactionContext context, long id, String topic) {
        return context.readAsync(tx -> find(tx, id, topic)).thenApply(Row::client);
    }

    /** As {@link #get}; and the client is kept from now on. The first use of a day writes that. */
    CompletableFuture<Client> use(Transaction tx, long id, String topic) {
        return find(tx, id, topic).thenApply(row -> {
            long dueDay = today() + KEPT_DAYS;
            if (row.dueDay() < dueDay) {
                tx.clear(due.pack(Tuple.from(row.dueDay(), id)));
                write(tx, id, new Row(row.client(), dueDay));
            }
            return row.client();
        });
    }

    private CompletableFuture<Row> find(ReadTransaction tx, long id, String topic) {
        return tx.get(rows.pack(id))
                .thenApply(value -> Optional.ofNullable(value)
                        .map(Row::decode)
                        .filter(row -> row.client().topic().equals(topic))
                        .orElseThrow(() ->
                                new ProblemException(Problem.of(404, "not-found", "There is no such " + kind + ".")
                                        .detail("No " + kind + " " + id + " is registered for the topic \"" + topic
                                                + "\": register it."))));
    }

    /** Removes some clients that were not used. A use at the same time is a conflict for one of the two. */
    CompletableFuture<List<Removed>> removeDue(Transaction tx) {
        Range range = new Range(due.range().begin, due.pack(today()));
        return tx.snapshot().getRange(range, REMOVED_BY_REGISTRATION).asList().thenCompose(found -> {
            List<CompletableFuture<Optional<Removed>>> removed =
                    found.stream().map(row -> remove(tx, row)).toList();
            return CompletableFuture.allOf(removed.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done ->
                            removed.stream().flatMap(one -> one.join().stream()).toList());
        });
    }

    private CompletableFuture<Optional<Removed>> remove(Transaction tx, KeyValue dueRow) {
        long id = due.unpack(dueRow.getKey()).getLong(1);
        return tx.get(rows.pack(id)).thenApply(value -> {
            tx.clear(dueRow.getKey());
            tx.clear(rows.pack(id));
            return Optional.ofNullable(value)
                    .map(row -> new Removed(id, Row.decode(row).client()));
        });
    }
}
