package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.async.AsyncUtil;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One page of the rows of a type, as a transaction left them. Rows that hold the stamp of the coming commit cannot be
 * read, so it reads up to the next row that the transaction wrote, takes that from memory and goes on behind it.
 */
final class Listing {
    private final ReadTransaction tx;
    private final TypeKeys keys;
    private final int limit;
    private final byte[] end;
    private final Iterator<Map.Entry<byte[], Optional<JobRow>>> written;

    // Touched by one step at a time.
    private final Map<String, JobRow> page = new LinkedHashMap<>();
    private byte[] begin;

    Listing(ReadTransaction tx, TypeKeys keys, String after, int limit) {
        this.tx = tx;
        this.keys = keys;
        this.limit = limit;
        Range range = keys.dataAfter(after);
        begin = range.begin;
        end = range.end;
        written = TransactionScope.writtenWithin(tx, range).entrySet().iterator();
    }

    /** {@return the rows by id, in order} */
    CompletableFuture<Map<String, JobRow>> read() {
        return AsyncUtil.whileTrue(this::step, tx.getExecutor()).thenApply(done -> page);
    }

    /** Whether there may be more to read. */
    private CompletableFuture<Boolean> step() {
        Optional<Map.Entry<byte[], Optional<JobRow>>> next =
                written.hasNext() ? Optional.of(written.next()) : Optional.empty();
        byte[] until = next.map(Map.Entry::getKey).orElse(end);
        return tx.snapshot()
                .getRange(new Range(begin, until), limit - page.size())
                .asList()
                .thenApply(rows -> {
                    rows.forEach(row -> page.put(keys.jobIdOfData(row.getKey()), JobRow.decode(row.getValue())));
                    if (page.size() < limit) {
                        next.flatMap(Map.Entry::getValue).ifPresent(row -> page.put(keys.jobIdOfData(until), row));
                    }
                    begin = ByteArrayUtil.keyAfter(until);
                    return next.isPresent() && page.size() < limit;
                });
    }
}
