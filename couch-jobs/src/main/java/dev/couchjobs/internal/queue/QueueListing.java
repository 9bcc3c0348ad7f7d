package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Lists the jobs in the queues of a type: by priority, then in the order of the queue, then the jobs with turn keys,
 * and at the end the jobs of the ranked queue that are scheduled for later. Blocked jobs are in no queue, and not
 * listed.
 */
public final class QueueListing {
    private final TypeKeys keys;
    /** The parts of the queues in the order of claims, which is not the order of their keys. */
    private final List<Range> parts;

    public QueueListing(TypeKeys keys) {
        this.keys = keys;
        Range below = QueueKeys.of(keys).rankedBelow(0);
        this.parts = List.of(
                new Range(QueueKeys.of(keys).ranked().begin, below.begin),
                new Range(
                        QueueKeys.of(keys).pendingUnscheduled().begin,
                        QueueKeys.of(keys).pendingAfter(0).end),
                below,
                QueueKeys.of(keys).rankedTurns(),
                QueueKeys.of(keys).rankedLater());
    }

    /** {@return whether a key is in one of the queues} */
    public boolean covers(byte[] key) {
        return part(key) < parts.size();
    }

    private int part(byte[] key) {
        int part = 0;
        while (part < parts.size() && !contains(parts.get(part), key)) {
            part++;
        }
        return part;
    }

    private static boolean contains(Range range, byte[] key) {
        return Arrays.compareUnsigned(range.begin, key) <= 0 && Arrays.compareUnsigned(key, range.end) < 0;
    }

    /** {@return the next rows behind a row, in the same part of the queues; read without conflicts} */
    public CompletableFuture<List<QueueEntry>> behind(ReadTransaction tx, QueueEntry row, int limit) {
        int part = part(row.key());
        return read(tx, part, new Range(ByteArrayUtil.keyAfter(row.key()), parts.get(part).end), limit);
    }

    /**
     * Reads a page without conflicts. Reads all parts in parallel, because most of them are nearly always empty.
     *
     * @param after the key of the last row of the previous page, empty for the first page
     * @return the rows after it
     */
    public CompletableFuture<List<QueueEntry>> read(ReadTransaction tx, byte[] after, int limit) {
        int first = after.length == 0 ? 0 : part(after);
        List<CompletableFuture<List<QueueEntry>>> reads = new ArrayList<>(parts.size());
        for (int part = first; part < parts.size(); part++) {
            boolean continues = part == first && after.length > 0;
            byte[] begin = continues ? ByteArrayUtil.keyAfter(after) : parts.get(part).begin;
            reads.add(read(tx, part, new Range(begin, parts.get(part).end), limit));
        }
        return Futures.allOf(reads)
                .thenApply(done -> reads.stream()
                        .flatMap(rows -> rows.join().stream())
                        .limit(limit)
                        .toList());
    }

    private CompletableFuture<List<QueueEntry>> read(ReadTransaction tx, int part, Range range, int limit) {
        boolean ranked = part != 1;
        return Quarantine.range(
                tx,
                keys,
                range,
                limit,
                false,
                row -> ranked ? RankedQueue.decode(keys, row.getKey()) : PendingQueue.decode(keys, row.getKey()));
    }
}
