package dev.couchjobs.internal.workers;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.WorkerState;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How a worker describes itself.
 *
 * @param host the host of its process
 * @param libraryVersion the version of the library
 * @param types the first of the names of its types
 * @param concurrency how many jobs it may run
 * @param running how many handlers run
 * @param state what it does
 * @param startedAt in milliseconds since 1970
 * @param lastSeen in milliseconds since 1970
 * @param registeredAfter the number of the last drain when it registered, see {@link WorkerOrders#drain}
 */
public record WorkerRow(
        String host,
        String libraryVersion,
        List<String> types,
        int concurrency,
        int running,
        WorkerState state,
        long startedAt,
        long lastSeen,
        @Nullable Long registeredAfter) {

    byte[] encode() {
        return Tuple.from(
                        host,
                        libraryVersion,
                        Tuple.fromList(types),
                        concurrency,
                        running,
                        state.name(),
                        startedAt,
                        lastSeen,
                        registeredAfter)
                .pack();
    }

    static WorkerRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        Tuple types = row.getNestedTuple(2);
        return new WorkerRow(
                row.getString(0),
                row.getString(1),
                IntStream.range(0, types.size()).mapToObj(types::getString).toList(),
                Math.toIntExact(row.getLong(3)),
                Math.toIntExact(row.getLong(4)),
                WorkerState.valueOf(row.getString(5)),
                row.getLong(6),
                row.getLong(7),
                WorkerOrders.number(row, 8));
    }
}
