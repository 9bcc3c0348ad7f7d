package dev.couchjobs.internal.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.faults.TypeRows;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.internal.transactions.Transactions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that cannot be audited keeps no other from it. */
class ActivityIndexAuditTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    private static final int JOBS = 30;
    private static final String FAILS = "j10";
    /** Enough for several passes over all jobs, page by page. */
    private static final int STEPS = 400;

    private final VirtualStage stage = new VirtualStage(8);
    private final Database database = stage.database();
    private final Subspace prefix = new Subspace(Tuple.from("audit"));
    private final Keyspace keyspace = new Keyspace(prefix);
    private final CouchJobs jobs = CouchJobs.builder(database)
            .subspace(prefix)
            .environment(stage.environment())
            .build();
    /** The key of which every read fails. */
    private byte[] damaged = {};

    @BeforeEach
    void jobsRunWithoutRowsInTheActivityIndex() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, Duration.ofDays(1)));
        IntStream.range(0, JOBS).forEach(i -> {
            stage.await(jobs.add(database, MAIL, "j" + i, "data"));
            stage.await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
        });
        Versionstamp sequence = Objects.requireNonNull(
                Objects.requireNonNull(rows().data().get(FAILS)).sequence());
        damaged = activity().pack(sequence);
        stage.await(database.runAsync(tx -> {
            tx.clear(activity().range());
            return CompletableFuture.completedFuture(true);
        }));
    }

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private Subspace activity() {
        return prefix.subspace(Tuple.from("couch_jobs", "activity", MAIL.name()));
    }

    private TypeRows rows() {
        return stage.await(database.readAsync(tx -> TypeRows.read(tx, prefix, MAIL.name())));
    }

    private Set<String> named() {
        return rows().activity().values().stream().flatMap(Set::stream).collect(Collectors.toSet());
    }

    private void audit(Database on) {
        Transactions transactions = new Transactions(
                stage.environment(), keyspace, Duration.ofSeconds(30), TransactionLabel.tagged("audit", false));
        ActivityIndexAudit audit = new ActivityIndexAudit(on, transactions, keyspace, keyspace.type(MAIL.name()));
        for (int step = 0; step < STEPS; step++) {
            stage.await(audit.step().handle((done, error) -> step(error)));
        }
    }

    private static boolean step(@Nullable Throwable error) {
        return error == null;
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    void aJobWhoseRowCannotBeReadIsPassedOver() {
        Database failing = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            if (method.getName().equals("runAsync")) {
                return database.runAsync(failing(arguments[0]));
            }
            return DatabaseProxies.invoke(database, method, arguments);
        });

        audit(failing);

        assertThat(named()).hasSize(JOBS - 1).doesNotContain(FAILS);
    }

    @SuppressWarnings("unchecked") // what runAsync takes is such a function
    private Function<Transaction, CompletableFuture<Object>> failing(@Nullable Object body) {
        Function<Transaction, CompletableFuture<Object>> called =
                (Function<Transaction, CompletableFuture<Object>>) Objects.requireNonNull(body);
        return tx -> called.apply(failing(Transaction.class, tx, failing(ReadTransaction.class, tx.snapshot(), null)));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    private <T extends ReadTransaction> T failing(Class<T> type, T target, @Nullable ReadTransaction snapshot) {
        return DatabaseProxies.to(type, (self, method, arguments) -> {
            if (method.getName().equals("snapshot") && snapshot != null) {
                return snapshot;
            }
            if (method.getName().equals("get") && Arrays.equals(damaged, (byte[]) arguments[0])) {
                return CompletableFuture.failedFuture(new FDBException("unreadable", 2_000));
            }
            return DatabaseProxies.invoke(target, method, arguments);
        });
    }
}
