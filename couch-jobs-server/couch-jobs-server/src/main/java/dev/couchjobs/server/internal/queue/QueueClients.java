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
    private static final long VERSIONS_OF_A_DAY = TimeUnit.DAYS.toMicros(1);
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

    /**
     * A client that is removed unless it is used: one clock that is ahead removes none, and a jump of the versions
     * neither.
     *
     * @param dueDay the last day that it is kept, by the clock of the server that it used last; 0 if it was registered
     *     before that was written
     * @param dueVersions the same in days of versions; its row of {@code due} has them
     */
    private record Row(Client client, long dueDay, long dueVersions) {
        private byte[] encode() {
            Integer partition =
                    client.partition().isPresent() ? client.partition().getAsInt() : null;
            return Tuple.from(FORMAT, client.topic(), partition, dueDay, dueVersions)
                    .pack();
        }

        private static Row decode(byte[] value) {
            Tuple row = Tuple.fromBytes(value);
            OptionalInt partition =
                    row.size() > 2 && row.get(2) != null ? OptionalInt.of((int) row.getLong(2)) : OptionalInt.empty();
            return new Row(
                    new Client(row.getString(1), partition),
                    row.size() > 3 ? row.getLong(3) : 0,
                    row.size() > 4 ? row.getLong(4) : 0);
        }
    }

    private long today() {
        return TimeUnit.MILLISECONDS.toDays(clock.millis());
    }

    /** {@return the days of the database, whose versions grow by a million a second while it is open} */
    private static CompletableFuture<Long> days(ReadTransaction tx) {
        return tx.getReadVersion().thenApply(version -> version / VERSIONS_OF_A_DAY);
    }

    /** {@return the id under which a client is registered} */
    CompletableFuture<Long> add(Transaction tx, Client client) {
        long id =
                1 + (ByteBuffer.wrap(ServerEnvironment.randomBytes(Long.BYTES)).getLong() & ID_BITS) % ID_BITS;
        return tx.get(rows.pack(id)).thenCompose(present -> {
            if (present != null) {
                return add(tx, client);
            }
            return days(tx).thenApply(days -> {
                write(tx, id, new Row(client, today() + KEPT_DAYS, days + KEPT_DAYS));
                return id;
            });
        });
    }

    private void write(Transaction tx, long id, Row row) {
        tx.set(rows.pack(id), row.encode());
        tx.set(dueRow(row, id), new byte[0]);
    }

    private byte[] dueRow(Row row, long id) {
        return due.pack(Tuple.from(row.dueVersions(), id));
    }

    /** {@return a client; fails with a {@link ProblemException} if it is not registered for the topic} */
    CompletableFuture<Client> get(ReadTransactionContext context, long id, String topic) {
        return context.readAsync(tx -> find(tx, id, topic)).thenApply(Row::client);
    }

    /** As {@link #get}; and the client is kept from now on. The first use of a day writes that. */
    CompletableFuture<Client> use(Transaction tx, long id, String topic) {
        return find(tx, id, topic).thenCombine(days(tx), (row, days) -> {
            long dueDay = today() + KEPT_DAYS;
            if (row.dueDay() < dueDay || row.dueVersions() < days + KEPT_DAYS) {
                tx.clear(dueRow(row, id));
                write(
                        tx,
                        id,
                        new Row(
                                row.client(),
                                Math.max(row.dueDay(), dueDay),
                                Math.max(row.dueVersions(), days + KEPT_DAYS)));
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
        return days(tx).thenCompose(days -> {
            Range range = new Range(due.range().begin, due.pack(days));
            return tx.snapshot()
                    .getRange(range, REMOVED_BY_REGISTRATION)
                    .asList()
                    .thenCompose(found -> {
                        List<CompletableFuture<Optional<Removed>>> removed =
                                found.stream().map(row -> remove(tx, row, days)).toList();
                        return CompletableFuture.allOf(removed.toArray(CompletableFuture<?>[]::new))
                                .thenApply(done -> removed.stream()
                                        .flatMap(one -> one.join().stream())
                                        .toList());
                    });
        });
    }

    /** What is not due by the clock is looked at again on another day, so that it stands before no other row. */
    private CompletableFuture<Optional<Removed>> remove(Transaction tx, KeyValue dueRow, long days) {
        long id = due.unpack(dueRow.getKey()).getLong(1);
        return tx.get(rows.pack(id)).thenApply(value -> {
            tx.clear(dueRow.getKey());
            if (value == null) {
                return Optional.empty();
            }
            Row row = Row.decode(value);
            if (row.dueDay() >= today()) {
                write(tx, id, new Row(row.client(), row.dueDay(), days + 1));
                return Optional.empty();
            }
            tx.clear(rows.pack(id));
            return Optional.of(new Removed(id, row.client()));
        });
    }
}
