package dev.couchjobs.server.internal.queue;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** The rows of producers, or of consumers: {@code rfc/035-topics.md} describes them. */
final class QueueClients {
    private static final long FORMAT = 1;
    /** What every language reads from JSON as it was written. */
    private static final long ID_BITS = (1L << 53) - 1;

    private final Subspace rows;
    private final String kind;

    QueueClients(Subspace root, String kind) {
        rows = root.subspace(Tuple.from("queue", kind));
        this.kind = kind;
    }

    /**
     * What is registered.
     *
     * @param partition the only one, if it was registered for one
     */
    record Client(String topic, OptionalInt partition) {
        private Tuple encode() {
            Tuple row = Tuple.from(FORMAT, topic);
            return partition.isPresent() ? row.add(partition.getAsInt()) : row;
        }

        private static Client decode(byte[] value) {
            Tuple row = Tuple.fromBytes(value);
            return new Client(
                    row.getString(1), row.size() > 2 ? OptionalInt.of((int) row.getLong(2)) : OptionalInt.empty());
        }
    }

    /** {@return the id under which a client is registered} */
    CompletableFuture<Long> add(Transaction tx, Client client) {
        long id =
                1 + (ByteBuffer.wrap(ServerEnvironment.randomBytes(Long.BYTES)).getLong() & ID_BITS) % ID_BITS;
        return tx.get(rows.pack(id)).thenCompose(present -> {
            if (present != null) {
                return add(tx, client);
            }
            tx.set(rows.pack(id), client.encode().pack());
            return CompletableFuture.completedFuture(id);
        });
    }

    /** {@return a client; fails with a {@link ProblemException} if it is not registered for the topic} */
    CompletableFuture<Client> get(ReadTransactionContext context, long id, String topic) {
        return context.readAsync(tx -> tx.get(rows.pack(id)))
                .thenApply(value -> Optional.ofNullable(value)
                        .map(Client::decode)
                        .filter(client -> client.topic().equals(topic))
                        .orElseThrow(() ->
                                new ProblemException(Problem.of(404, "not-found", "There is no such " + kind + ".")
                                        .detail("No " + kind + " " + id + " is registered for the topic \"" + topic
                                                + "\": register it."))));
    }
}
