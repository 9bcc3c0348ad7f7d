package dev.couchjobs.internal.job;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads one page of the rows of a type, including the writes of the transaction. Rows that contain the versionstamp of
 * the coming commit cannot be read. The reader therefore reads up to the next row that the transaction wrote, takes
 * that row from memory, and continues after it.
 */
final class PageReader {
    private final ReadTransaction tx;
    private final TypeKeys keys;
    private final int limit;
    private final byte[] end;
    private final Iterator<Map.Entry<byte[], Optional<JobRow>>> written;

    // Used by one step at a time.
    private final Map<String, JobRow> page = new LinkedHashMap<>();
    private byte[] begin;
    private boolean hasSkipped;
    /** The next row that the transaction wrote, if there is one. */
    private Optional<Map.Entry<byte[], Optional<JobRow>>> next;

    PageReader(ReadTransaction tx, TypeKeys keys, String after, int limit) {
        this.tx = tx;
        this.keys = keys;
        this.limit = limit;
        Range range = keys.dataAfter(after);
        begin = range.begin;
        end = range.end;
        written = WrittenRows.within(tx, range).entrySet().iterator();
        next = nextWritten();
    }

    /** {@return the rows by id, in order} */
    CompletableFuture<JobTable.Rows> read() {
        return GuardedExecutor.whileTrue(this::step, GuardedExecutor.of(tx))
                .thenApply(done -> new JobTable.Rows(page, hasSkipped));
    }

    /** Reads up to the next written row, and returns whether there may be more rows. */
    private CompletableFuture<Boolean> step() {
        byte[] until = next.map(Map.Entry::getKey).orElse(end);
        int missing = limit - page.size();
        return tx.snapshot().getRange(new Range(begin, until), missing).asList().thenApply(rows -> {
            List<Map.Entry<String, JobRow>> readable =
                    Quarantine.readable(tx, keys, rows, row -> Map.entry(keys.jobIdOfData(row.getKey()), decoded(row)));
            readable.forEach(row -> page.put(row.getKey(), row.getValue()));
            hasSkipped |= readable.size() < rows.size();
            if (rows.size() == missing) { // some rows may be undecodable
                begin = ByteArrayUtil.keyAfter(rows.get(missing - 1).getKey());
                return page.size() < limit;
            }
            next.flatMap(Map.Entry::getValue).ifPresent(row -> page.put(keys.jobIdOfData(until), row));
            begin = ByteArrayUtil.keyAfter(until);
            boolean more = next.isPresent() && page.size() < limit;
            next = nextWritten();
            return more;
        });
    }

    private Optional<Map.Entry<byte[], Optional<JobRow>>> nextWritten() {
        return written.hasNext() ? Optional.of(written.next()) : Optional.empty();
    }

    private static JobRow decoded(KeyValue row) {
        return JobRow.decode(row.getValue());
    }
}
