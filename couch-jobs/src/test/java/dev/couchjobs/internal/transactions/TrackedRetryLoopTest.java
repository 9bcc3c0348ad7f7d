package dev.couchjobs.internal.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.faults.Script;
import dev.couchjobs.faults.StepFault;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The loop ends as that of a database does, and tells of unknown results. */
class TrackedRetryLoopTest {
    private static final byte[] KEY = {1};

    private final Database database = EmbeddedDatabase.openInMemory();
    private final Script script = new Script();
    private final FaultyDatabase faulty = new FaultyDatabase(database, script);
    private final AtomicInteger unknown = new AtomicInteger();
    /** How many results were unknown before each try. */
    private final List<Integer> tries = new ArrayList<>();

    @AfterEach
    void close() {
        database.close();
    }

    /** The two ways to run a transaction. */
    private enum Way {
        WAITING {
            @Override
            int run(Database database, Runnable ifUnknown, Consumer<Transaction> body) {
                return TrackedRetryLoop.run(database.createTransaction(), ifUnknown, tx -> {
                    body.accept(tx);
                    return 7;
                });
            }
        },
        ASYNC {
            @Override
            int run(Database database, Runnable ifUnknown, Consumer<Transaction> body) {
                return new TrackedRetryLoop<>(
                                database.createTransaction(), ifUnknown, TryReport.NONE, Integer.MAX_VALUE, tx -> {
                                    body.accept(tx);
                                    return CompletableFuture.completedFuture(7);
                                })
                        .run()
                        .join();
            }
        };

        abstract int run(Database database, Runnable ifUnknown, Consumer<Transaction> body);
    }

    private int run(Way way, Database on) {
        return way.run(on, unknown::incrementAndGet, tx -> {
            tries.add(unknown.get());
            tx.set(KEY, KEY);
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void itTellsOfEachUnknownResultBeforeTheNextTry(Way way) {
        script.next(StepFault.CONFLICT)
                .next(StepFault.UNKNOWN_BUT_COMMITTED)
                .next(StepFault.TOO_OLD_AT_COMMIT)
                .next(StepFault.UNKNOWN_AND_NOT_COMMITTED);

        assertThat(run(way, faulty)).isEqualTo(7);

        assertThat(tries).containsExactly(0, 0, 1, 1, 2);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void anErrorThatIsNotToBeRetriedEndsIt(Way way) {
        script.next(StepFault.FATAL_AT_COMMIT);

        assertThatThrownBy(() -> run(way, faulty)).hasRootCauseInstanceOf(FDBException.class);

        assertThat(tries).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void anExceptionOfTheBodyEndsIt(Way way) {
        IllegalStateException bug = new IllegalStateException("a bug");

        assertThatThrownBy(() -> way.run(faulty, unknown::incrementAndGet, tx -> {
                    throw bug;
                }))
                .isInstanceOf(CompletionException.class)
                .hasCause(bug);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void theRetryLimitOfTheDatabaseHolds(Way way) {
        database.options().setTransactionRetryLimit(2);
        script.every(StepFault.CONFLICT);

        assertThatThrownBy(() -> run(way, faulty))
                .hasRootCauseInstanceOf(FDBException.class)
                .rootCause()
                .extracting(error -> ((FDBException) error).getCode())
                .isEqualTo(1020);

        assertThat(tries).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void itClosesTheTransactionOfTheLastTry(Way way) {
        script.next(StepFault.CONFLICT);
        AtomicInteger closed = new AtomicInteger();
        Database noting = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            Object result = DatabaseProxies.invoke(faulty, method, arguments);
            return result instanceof Transaction created ? noting(created, closed) : result;
        });

        run(way, noting);

        assertThat(tries).hasSize(2);
        assertThat(closed).hasValue(1);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    private static Transaction noting(Transaction transaction, AtomicInteger closed) {
        return DatabaseProxies.to(Transaction.class, (self, method, arguments) -> {
            if (method.getName().equals("onError")) {
                return transaction.onError((Throwable) arguments[0]).thenApply(next -> noting(next, closed));
            }
            if (method.getName().equals("close")) {
                closed.incrementAndGet();
            }
            return DatabaseProxies.invoke(transaction, method, arguments);
        });
    }
}
