package dev.couchjobs.internal.retention;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The {@code retention} rows: what types have in place of {@link JobType#retention}, in whole seconds. */
public final class TypeRetention {
    private static final int ENDED = 0;
    private static final int FAILED = 1;
    private static final int ARCHIVED = 2;
    private static final int BY_GRAPH = 3;

    private TypeRetention() {}

    /**
     * What a transaction has read of the row of a type.
     *
     * @param layoutNumber {@link Layout#settings} as of that transaction, while which the row is the same
     */
    record Known(long layoutNumber, Optional<Retention> retention) {}

    /** Refuses a retention that a row cannot hold. */
    public static void check(Retention retention) {
        for (Outcome outcome : Outcome.values()) {
            retention
                    .after(outcome)
                    .filter(time -> !time.equals(Duration.ofSeconds(time.toSeconds())))
                    .ifPresent(time -> {
                        throw new IllegalArgumentException(
                                "The stored retention of a type is a whole number of seconds; this is "
                                        + DurationText.of(time) + ".");
                    });
        }
    }

    /**
     * {@return the stored retention of a type, if it has one, for a transaction that ends jobs} The layout row, which
     * each transaction reads with a conflict, changes with each retention, so a process reads a row once. A damaged row
     * counts as none: it must not keep jobs from ending.
     */
    public static CompletableFuture<Optional<Retention>> whileEnding(Transaction tx, TypeKeys keys) {
        return LayoutRow.whileWriting(tx).thenCompose(layout -> {
            if (!layout.mayUse(Feature.TYPE_RETENTIONS)) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            Optional<Known> known = keys.known(Known.class).filter(read -> read.layoutNumber() == layout.settings());
            return known.isPresent()
                    ? CompletableFuture.completedFuture(known.get().retention())
                    : tx.get(RetentionKeys.of(keys).retention()).thenApply(value -> {
                        Optional<Retention> retention = Optional.ofNullable(value)
                                .flatMap(bytes -> Quarantine.readableOrLogged(
                                        new KeyValue(RetentionKeys.of(keys).retention(), bytes),
                                        row -> decode(row.getValue())));
                        keys.know(new Known(layout.settings(), retention));
                        return retention;
                    });
        });
    }

    /** {@return a job type with the retention of the jobs that a transaction ends} */
    public static CompletableFuture<JobType<?, ?>> ending(Transaction tx, TypeKeys keys, JobType<?, ?> type) {
        return whileEnding(tx, keys).thenApply(stored -> with(stored, type));
    }

    /** {@return a job type with a stored retention, if there is one} */
    public static JobType<?, ?> with(Optional<Retention> stored, JobType<?, ?> type) {
        return stored.<JobType<?, ?>>map(type::retention).orElse(type);
    }

    /** {@return the stored retention of a type, if it has one} */
    public static CompletableFuture<Optional<Retention>> get(ReadTransaction tx, TypeKeys keys) {
        return tx.get(RetentionKeys.of(keys).retention())
                .thenApply(value -> Optional.ofNullable(value)
                        .map(bytes -> Quarantine.decode(
                                keys,
                                new KeyValue(RetentionKeys.of(keys).retention(), bytes),
                                row -> decode(row.getValue()))));
    }

    /**
     * Stores the retention of a type, or none. Replaces a damaged row.
     *
     * @param number a random number, by which processes learn that the row has changed
     */
    public static CompletableFuture<@Nullable Void> set(
            Transaction tx, Keyspace keyspace, TypeKeys keys, Optional<Retention> retention, long number) {
        byte[] row = retention.map(TypeRetention::encode).orElse(null);
        return JobStore.of(tx)
                .inOrder(
                        List.of(RetentionKeys.of(keys).retention()),
                        () -> tx.get(RetentionKeys.of(keys).retention()).thenCompose(before -> {
                            if (Arrays.equals(before, row)) {
                                return CompletableFuture.completedFuture(null);
                            }
                            if (row == null) {
                                tx.clear(RetentionKeys.of(keys).retention());
                            } else {
                                tx.set(RetentionKeys.of(keys).retention(), row);
                            }
                            return new LayoutRow(keyspace)
                                    .raise(tx, layout -> layout.withSettings(Feature.TYPE_RETENTIONS, number));
                        }));
    }

    private static byte[] encode(Retention retention) {
        Tuple row = new Tuple();
        for (Outcome outcome : List.of(Outcome.SUCCEEDED, Outcome.FAILED)) {
            row = row.addObject(
                    retention.after(outcome).map(Duration::toSeconds).orElse(null));
        }
        Tuple archived = row.add(retention.isArchived());
        return (retention.isByGraph() ? archived.add(true) : archived).pack();
    }

    private static Retention decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        Retention ended = row.get(ENDED) == null ? Retention.forever() : Retention.of(seconds(row, ENDED));
        Retention both = row.get(FAILED) == null ? ended.failedForever() : ended.failed(seconds(row, FAILED));
        Retention archived = row.getBoolean(ARCHIVED) ? both.archived() : both;
        return row.size() > BY_GRAPH && row.getBoolean(BY_GRAPH) ? archived.byGraph() : archived;
    }

    private static Duration seconds(Tuple row, int index) {
        return Duration.ofSeconds(row.getLong(index));
    }
}
