package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.faults.Outage;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An end that cannot be written delays no other, and ends that an outage has delayed share transactions after it. */
class FailedEndsTest {
    private static final int JOBS = 20;
    private static final int ENDED_IN_THE_OUTAGE = 8;
    private static final int LOCKED = 1038;
    private static final int CLIENT_INVALID_OPERATION = 2000;
    private static final Duration UNTIL_A_TRANSACTION_GIVES_UP = Duration.ofMinutes(2);

    private final MeasuredStage stage = new MeasuredStage(11, MAIL);
    private final Outage outage = new Outage();
    private final MeasuredDatabase measured =
            new MeasuredDatabase(refusing(new FaultyDatabase(stage.database(), outage)), stage.time());
    private final CouchJobs jobs = stage.builder(measured.asDatabase()).build();
    private final Map<String, CompletableFuture<String>> handlers = new LinkedHashMap<>();
    private byte @Nullable [] refused;

    @AfterEach
    void close() {
        outage.end();
        jobs.close();
        stage.close();
    }

    /** A way to a database on which no transaction can set the row that is refused. */
    private Database refusing(Database target) {
        return DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            Object result = DatabaseProxies.invoke(target, method, arguments);
            return method.getName().equals("createTransaction")
                    ? refusing((Transaction) Objects.requireNonNull(result))
                    : result;
        });
    }

    private Transaction refusing(Transaction target) {
        return DatabaseProxies.to(Transaction.class, (self, method, arguments) -> {
            if (isRefused(method, arguments)) {
                throw new FDBException("The row is refused", CLIENT_INVALID_OPERATION);
            }
            return DatabaseProxies.invoke(target, method, arguments);
        });
    }

    private boolean isRefused(Method method, @Nullable Object[] arguments) {
        return method.getName().equals("set") && Arrays.equals(refused, (byte[]) arguments[0]);
    }

    private void beginAll() {
        List<NewJob<?>> all = new ArrayList<>();
        IntStream.range(0, JOBS).forEach(i -> all.add(NewJob.of(MAIL, DATA).id(id(i))));
        stage.await(stage.others().addAll(stage.database(), all));
        jobs.worker()
                .handleAsync(MAIL, job -> handlers.computeIfAbsent(job.id(), id -> new CompletableFuture<>()))
                .concurrency(JOBS)
                .executor(stage.time())
                .start();
        stage.time().advance(Duration.ofSeconds(1));
        assertThat(handlers).hasSize(JOBS);
    }

    private void end(int job) {
        Objects.requireNonNull(handlers.get(id(job))).complete("sent");
    }

    private long succeeded() {
        return stage.await(stage.others().counts(stage.database(), MAIL)).succeeded();
    }

    @Test
    void anEndThatCannotBeWrittenDelaysNoOther() {
        beginAll();
        refused = Tuple.from("couch_jobs", "data", MAIL.name(), id(0)).pack();
        end(0);
        stage.time().advance(Duration.ofMinutes(1));

        for (int i = 1; i < JOBS; i++) {
            end(i);
            stage.time().advance(Duration.ofMillis(50));
            assertThat(succeeded()).isEqualTo(i);
        }
        refused = null;
        stage.time().advance(Duration.ofMinutes(1));
        assertThat(succeeded()).isEqualTo(JOBS);
    }

    @Test
    void endsThatHaveFailedAloneAreWrittenTogetherAfterAnOutage() {
        beginAll();
        outage.begin(LOCKED);
        for (int i = 0; i < ENDED_IN_THE_OUTAGE; i++) {
            end(i);
            stage.time().advance(UNTIL_A_TRANSACTION_GIVES_UP);
        }
        outage.end();
        measured.forget();

        stage.time().advance(Duration.ofMinutes(1));
        assertThat(succeeded()).isEqualTo(ENDED_IN_THE_OUTAGE);
        assertThat(measured.tries().stream()
                        .filter(each -> each.cost().writtenTo().contains("retire")))
                .hasSizeLessThan(5);
    }
}
