package dev.couchjobs.internal.schedules;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The rows of the schedules, and the data of their jobs, which is in chunks under other keys. */
public final class ScheduleTable {
    private final Keyspace keyspace;
    private final Subspace rows;

    public ScheduleTable(Keyspace keyspace) {
        this.keyspace = keyspace;
        this.rows = keyspace.table("schedules");
    }

    /** {@return the key of the row of a schedule} */
    public byte[] key(String name) {
        return rows.pack(name);
    }

    /** {@return the row of a schedule; fails with {@link UndecodableRowException} if it is damaged} */
    public CompletableFuture<Optional<ScheduleRow>> find(ReadTransaction tx, String name) {
        return tx.get(key(name)).thenApply(value -> Optional.ofNullable(value).map(bytes -> decode(name, bytes)));
    }

    /** {@return the row of a schedule; empty if it is damaged, and then in the quarantine of a type} */
    public CompletableFuture<Optional<ScheduleRow>> findReadable(Transaction tx, TypeKeys type, String name) {
        byte[] key = key(name);
        return tx.get(key).thenApply(value -> Quarantine.readable(tx, type, key, value, ScheduleRow::decode));
    }

    /** {@return the rows of the schedules that follow a name, or of the first} */
    public CompletableFuture<List<KeyValue>> list(
            ReadTransaction tx, Optional<String> after, int limit, boolean isReversed) {
        Range all = rows.range();
        Range rest = isReversed
                ? new Range(all.begin, after.map(rows::pack).orElse(all.end))
                : new Range(
                        after.map(last -> ByteArrayUtil.keyAfter(rows.pack(last)))
                                .orElse(all.begin),
                        all.end);
        return tx.snapshot().getRange(rest, limit, isReversed).asList();
    }

    public String nameOf(byte[] key) {
        return rows.unpack(key).getString(0);
    }

    /** {@return a row of a listing; empty if it is damaged} */
    public Optional<ScheduleRow> readable(KeyValue row) {
        return Quarantine.readableOrLogged(row, each -> decode(nameOf(each.getKey()), each.getValue()));
    }

    private static ScheduleRow decode(String name, byte[] value) {
        try {
            return ScheduleRow.decode(value);
        } catch (RuntimeException e) { // tuples of damaged bytes fail in many ways
            String reason = String.valueOf(RootCauses.message(e));
            throw new UndecodableRowException("(\"schedules\", \"" + name + "\")", reason, e);
        }
    }

    public void write(Transaction tx, String name, ScheduleRow row) {
        tx.set(key(name), row.encode());
    }

    public void remove(Transaction tx, String name) {
        tx.clear(key(name));
        tx.clear(keyspace.table("schedule_data").get(name).range());
    }

    public void writeData(Transaction tx, String name, Payload data) {
        data.writeTo(tx, keyspace.table("schedule_data").get(name));
    }

    /** {@return the data of a schedule's jobs} */
    public CompletableFuture<Payload> readData(ReadTransaction tx, String name) {
        return Payload.readFrom(tx, keyspace.table("schedule_data").get(name));
    }
}
