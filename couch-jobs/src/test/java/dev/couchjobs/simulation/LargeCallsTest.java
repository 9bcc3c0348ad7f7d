package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call that claims once, of whatever type, loads no more at once than the claim of one type. */
class LargeCallsTest {
    private static final int LARGE = 7_900_000;
    /** The data of one claim, and the rows that it reads. */
    private static final long BYTES_MAX = 8_500_000;

    private static final long READ_MILLIS = 10;
    private static final byte[] KEY = Tuple.from("calls", "worker").pack();
    private static final Duration UNTIL_DUE = Duration.ofMinutes(1);

    private final VirtualScheduler time = new VirtualScheduler();
    private final RandomGenerator random = new SplittableRandom(7);
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(Runnable::run, time, time::nanoTime, random));
    private final CouchJobs jobs = open(database);
    private final AtomicLong loaded = new AtomicLong();
    private final AtomicLong loadedMost = new AtomicLong();
    private final CouchJobs counted = open(DatabaseProxies.to(
            Database.class,
            (self, method, arguments) -> method.getName().equals("createTransaction")
                    ? counting(LargeCallsTest.<Transaction>invoke(database, method, arguments))
                    : DatabaseProxies.invoke(database, method, arguments)));

    private CouchJobs open(Database on) {
        return CouchJobs.builder(on)
                .environment(new Environment(time, time, random))
                .build();
    }

    @AfterEach
    void close() {
        counted.close();
        jobs.close();
        database.close();
    }

    /** {@return a transaction whose reads of ranges take a while, and count as loaded until it has ended} */
    private Transaction counting(Transaction counted) {
        AtomicLong own = new AtomicLong();
        return DatabaseProxies.to(Transaction.class, (self, method, arguments) -> switch (method.getName()) {
            case "getRange" -> counting(invoke(counted, method, arguments), own);
            case "commit" -> {
                CompletableFuture<?> committed = invoke(counted, method, arguments);
                yield committed.whenComplete((done, error) -> end(own));
            }
            case "onError" -> {
                end(own);
                CompletableFuture<Transaction> next = invoke(counted, method, arguments);
                yield next.thenApply(this::counting);
            }
            default -> DatabaseProxies.invoke(counted, method, arguments);
        });
    }

    private void end(AtomicLong own) {
        loaded.addAndGet(-own.getAndSet(0));
    }

    private Object counting(AsyncIterable<KeyValue> range, AtomicLong own) {
        return DatabaseProxies.to(
                AsyncIterable.class,
                (self, method, arguments) -> method.getName().equals("asList")
                        ? range.asList().thenCompose(rows -> {
                            long bytes = rows.stream()
                                    .mapToLong(row -> row.getValue().length)
                                    .sum();
                            own.addAndGet(bytes);
                            loadedMost.accumulateAndGet(loaded.addAndGet(bytes), Math::max);
                            CompletableFuture<List<KeyValue>> later = new CompletableFuture<>();
                            var unused = time.schedule(() -> later.complete(rows), READ_MILLIS, TimeUnit.MILLISECONDS);
                            return later;
                        })
                        : DatabaseProxies.invoke(range, method, arguments));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T> T invoke(Object target, Method method, @Nullable Object[] arguments) throws Throwable {
        return (T) Objects.requireNonNull(DatabaseProxies.invoke(target, method, arguments));
    }

    private static JobType<String, String> type(int number) {
        return JobType.of("t" + number, String.class, String.class);
    }

    /** Of each type there are some, which become due at the same time. */
    private void add(int types, int jobsOfType) {
        Instant due = time.instant().plus(UNTIL_DUE);
        for (int i = 0; i < types; i++) {
            for (int j = 0; j < jobsOfType; j++) {
                time.await(jobs.add(
                        database,
                        NewJob.of(type(i), "x".repeat(LARGE)).id("j" + j).at(due)));
            }
        }
    }

    private List<CompletableFuture<List<Job<String>>>> call(int types, int max, AcceptOptions options) {
        return IntStream.range(0, types)
                .mapToObj(i -> counted.processor().accept(type(i), max, options))
                .toList();
    }

    private static Stream<Job<String>> claims(List<CompletableFuture<List<Job<String>>>> calls) {
        return calls.stream()
                .filter(each -> each.isDone() && !each.isCompletedExceptionally())
                .flatMap(each -> each.join().stream());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void aCallOverSeveralTypesLoadsAsMuchAsOneOverOneType(int max) {
        int types = 6;
        add(types, 2);
        List<CompletableFuture<List<Job<String>>>> calls =
                call(types, max, AcceptOptions.defaults().once(KEY, "r"));
        time.advance(Duration.ofSeconds(10));
        assertThat(calls).noneMatch(CompletableFuture::isDone);

        time.advance(UNTIL_DUE);

        assertThat(claims(calls)).hasSize(1);
        assertThat(loadedMost).hasValueBetween(LARGE, BYTES_MAX);
    }

    /** As the first call over several types does when all have jobs. */
    @Test
    void aCallThatFindsJobsAtOnceLoadsAsMuch() {
        int types = 6;
        add(types, 1);
        time.advance(UNTIL_DUE);

        List<CompletableFuture<List<Job<String>>>> calls =
                call(types, 1, AcceptOptions.defaults().once(KEY, "r"));
        time.advance(Duration.ofSeconds(10));

        assertThat(claims(calls)).hasSize(1);
        assertThat(loadedMost).hasValueBetween(LARGE, BYTES_MAX);
    }

    /** Whichever of the types gets jobs, however many of the others were given up meanwhile. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void eachTypeOfACallIsClaimedInItsTurn(int typeWithJobs) {
        int types = 4;
        for (int cancelled = -1; cancelled < types; cancelled++) {
            List<CompletableFuture<List<Job<String>>>> calls =
                    new ArrayList<>(call(types, 1, AcceptOptions.defaults().once(KEY, "r" + cancelled)));
            if (cancelled >= 0 && cancelled != typeWithJobs) {
                calls.get(cancelled).cancel(false);
            }
            time.advance(Duration.ofSeconds(10));
            time.await(jobs.add(database, type(typeWithJobs), "j" + cancelled, "small"));
            time.advance(Duration.ofSeconds(10));

            List<Job<String>> claims = claims(calls).toList();
            assertThat(claims.stream().map(Job::id)).containsExactly("j" + cancelled);
            time.await(counted.processor().finish(database, claims.get(0)));
            calls.forEach(each -> each.cancel(false));
        }
    }

    /** Each type has several calls of the same id, which wait for a job of any. */
    @Test
    void callsThatRepeatEachOtherOverSeveralTypesClaimOnceAndThenRest() {
        List<CompletableFuture<List<Job<String>>>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.addAll(call(3, 1, AcceptOptions.defaults().once(KEY, "r")));
        }
        time.advance(Duration.ofSeconds(10));

        time.await(jobs.add(database, type(1), "j", "small"));
        time.advance(Duration.ofSeconds(1));

        assertThat(claims(calls).map(Job::id)).containsExactly("j");
        assertThat(IntStream.of(1, 4, 7).mapToObj(calls::get)).allMatch(CompletableFuture::isDone);
    }
}
