package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.ChangePage;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Renewal;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients that hold claims by id and lock, and servers that die, while everything goes wrong. Each request goes to any
 * server. Each job has its effect once, by the client whose claim has ended it. A reader of changes, which dies too,
 * misses nothing.
 */
@Tag("long")
class RemoteClaimsUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = type("simulated");
    private static final JobType<Integer, String> LATER = type("later");
    private static final List<JobType<Integer, String>> TYPES = List.of(TYPE, LATER);
    private static final int JOBS = 30;
    private static final int AT_ONCE = 5;
    private static final int CLIENTS = 4;
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
    private static final Subspace EFFECTS = new Subspace(Tuple.from("effects"));
    private static final Subspace ENDED_BY = new Subspace(Tuple.from("ended by"));
    private static final int FINISHED_BY = 5;

    private static final String FOLLOWER = "follower";
    private static final Duration BETWEEN_JOBS = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration CAUGHT_UP = Duration.ofMinutes(2);
    /** Clocks jump by up to 20 seconds about once a second: one may be minutes ahead when a retry is set. */
    private static final Duration LATEST_RETRY = Duration.ofMinutes(15);

    private static boolean hasSeenOtherServer;
    private static boolean hasSeenHalt;
    private static boolean hasSeenRenewalBesideLoss;

    private final List<Server> servers = new ArrayList<>();
    private final Follower follower = new Follower();

    private record Server(SimulatedProcess process, CouchJobs jobs) {}

    /** What a client knows of a claim. */
    private record Token(Server server, JobType<Integer, String> type, String id, UUID lock) {}

    private static JobType<Integer, String> type(String name) {
        return JobType.of(name, Integer.class, String.class)
                .activityTimeout(Duration.ofSeconds(2))
                .retry(RetryPolicy.standard().attempts(1_000).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    }

    static LongStream seeds() {
        return Seeds.of(3, 11);
    }

    @AfterAll
    static void claimsWereLostAndPassedOn() {
        assertThat(hasSeenOtherServer && hasSeenHalt && hasSeenRenewalBesideLoss)
                .isTrue();
    }

    /**
     * To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=RemoteClaimsUnderFaultsTest -Dsimulation.seed=N}.
     */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyJobHasItsEffectOnceByTheClaimThatEndedIt(long seed) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            simulation.onDeath(dead -> {
                if (dead.name().equals(FOLLOWER)) {
                    follower.start(simulation);
                } else {
                    serve(simulation);
                }
            });
            for (int i = 0; i < 3; i++) {
                serve(simulation);
            }
            follower.start(simulation);
            for (int i = 0; i < CLIENTS; i++) {
                work(simulation);
            }
            CouchJobs first = EffectHandler.instance(simulation.process("first"));
            for (int i = 0; i < JOBS; i += AT_ONCE) {
                JobType<Integer, String> type = i < JOBS / 2 || i % 2 == 0 ? TYPE : LATER;
                simulation.await(first.addAll(
                        simulation.database(),
                        IntStream.range(i, i + AT_ONCE)
                                .mapToObj(number -> NewJob.of(type, number).id("j" + number))
                                .toList()));
                simulation.advance(BETWEEN_JOBS);
            }
            simulation.calm();
            serve(simulation);
            simulation.advance(CAUGHT_UP);
            follower.check(simulation);
            simulation.advance(LATEST_RETRY);

            assertThat(follower.states)
                    .hasSize(JOBS)
                    .allSatisfy((id, state) -> assertThat(state).isEqualTo(JobState.FINISHED));
            Map<String, Integer> effects = new HashMap<>();
            read(simulation, EFFECTS.range())
                    .forEach(row -> effects.put(EFFECTS.unpack(row.getKey()).getString(0), (int) row.getValue()[0]));
            assertThat(effects)
                    .hasSize(JOBS)
                    .allSatisfy((id, count) -> assertThat(count).isEqualTo(1));
            Map<String, UUID> endedBy = new HashMap<>();
            read(simulation, ENDED_BY.range())
                    .forEach(row -> endedBy.put(
                            ENDED_BY.unpack(row.getKey()).getString(0),
                            Tuple.fromBytes(row.getValue()).getUUID(0)));
            Map<String, UUID> finishedBy = new HashMap<>();
            for (JobType<Integer, String> type : TYPES) {
                Subspace data = ROWS.subspace(Tuple.from("data", type.name()));
                read(simulation, data.range())
                        .forEach(row -> finishedBy.put(
                                data.unpack(row.getKey()).getString(0),
                                Tuple.fromBytes(row.getValue()).getUUID(FINISHED_BY)));
            }
            assertThat(endedBy).isEqualTo(finishedBy);
        }
    }

    private static List<KeyValue> read(Simulation simulation, Range range) {
        return simulation.await(
                simulation.database().readAsync(tx -> tx.getRange(range).asList()));
    }

    private void serve(Simulation simulation) {
        SimulatedProcess process = simulation.process("server");
        servers.add(new Server(process, EffectHandler.instance(process)));
    }

    private Server anyServer(RandomGenerator random) {
        servers.removeIf(server -> !server.process().isAlive());
        return servers.get(random.nextInt(servers.size()));
    }

    /** Sends a request to any server; fails if that does not answer. */
    private <T> CompletableFuture<T> request(Simulation simulation, Function<Server, CompletableFuture<T>> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        var unused = request.apply(anyServer(simulation.random())).whenComplete((value, error) -> {
            if (error == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(error);
            }
        });
        unused = after(simulation, PATIENCE)
                .thenRun(() -> answer.completeExceptionally(new TimeoutException("no answer")))
                .thenApply(done -> null);
        return answer;
    }

    private static CompletableFuture<Boolean> after(Simulation simulation, Duration time) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        var unused = simulation.scheduler().schedule(() -> done.complete(true), time.toNanos(), TimeUnit.NANOSECONDS);
        return done;
    }

    // A client

    private void work(Simulation simulation) {
        RandomGenerator random = simulation.random();
        JobType<Integer, String> type = TYPES.get(random.nextInt(TYPES.size()));
        int max = 1 + random.nextInt(5);
        AcceptOptions options = AcceptOptions.defaults().timeout(Duration.ofMillis(random.nextInt(4_000)));
        var unused = this.<List<Token>>request(
                        simulation,
                        server -> server.jobs()
                                .processor()
                                .accept(type, max, options)
                                .thenApply(claims -> claims.stream()
                                        .map(claim -> new Token(server, type, claim.id(), claim.lock()))
                                        .toList()))
                .thenCompose(tokens -> workOn(simulation, tokens))
                .handle((done, error) -> true)
                .thenCompose(ended -> after(simulation, Duration.ofMillis(1 + random.nextInt(200))))
                .thenRun(() -> work(simulation));
    }

    private CompletableFuture<?> workOn(Simulation simulation, List<Token> tokens) {
        RandomGenerator random = simulation.random();
        if (tokens.isEmpty() || random.nextInt(10) == 0) {
            return CompletableFuture.completedFuture(tokens); // takes no notice of what it has claimed
        }
        Duration time = Duration.ofMillis(random.nextInt(8) == 0 ? 5_000 : random.nextInt(1_200));
        return after(simulation, time)
                .thenCompose(done -> random.nextBoolean()
                        ? end(simulation, tokens.get(0)).thenApply(ended -> tokens) // and renews it nevertheless
                        : CompletableFuture.completedFuture(tokens))
                .thenCompose(done -> random.nextInt(3) == 0
                        ? CompletableFuture.completedFuture(tokens)
                        : request(simulation, server -> renew(server, tokens)))
                .thenCompose(done -> after(simulation, Duration.ofMillis(random.nextInt(800))))
                .thenCompose(done -> allOf(
                        tokens.stream().map(token -> end(simulation, token)).toList()));
    }

    private static CompletableFuture<?> allOf(List<? extends CompletableFuture<?>> all) {
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    /** Restores and renews all claims that hold, in one transaction. */
    private static CompletableFuture<List<Token>> renew(Server server, List<Token> tokens) {
        return server.process().database().runAsync(tx -> {
            Map<Token, CompletableFuture<@Nullable Job<Integer>>> restored = new HashMap<>();
            tokens.forEach(token -> restored.put(
                    token,
                    server.jobs()
                            .processor()
                            .claim(tx, token.type(), token.id(), token.lock())
                            .handle((claim, error) -> claimOrHalt(claim, error))));
            return allOf(List.copyOf(restored.values()))
                    .thenCompose(done -> {
                        List<Job<?>> held = new ArrayList<>();
                        restored.values().forEach(claim -> {
                            Job<Integer> job = claim.join();
                            if (job != null) {
                                held.add(job);
                            }
                        });
                        hasSeenRenewalBesideLoss |= !held.isEmpty() && held.size() < tokens.size();
                        return server.jobs().processor().updateAll(tx, held);
                    })
                    .thenApply(renewals -> {
                        assertThat(renewals).allMatch(Renewal::isRenewed);
                        return tokens;
                    });
        });
    }

    private static @Nullable Job<Integer> claimOrHalt(@Nullable Job<Integer> claim, @Nullable Throwable error) {
        if (error == null || isHalt(error)) {
            return claim;
        }
        throw new CompletionException(error);
    }

    private static boolean isHalt(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof JobHaltedException;
    }

    private CompletableFuture<?> end(Simulation simulation, Token token) {
        return switch (simulation.random().nextInt(8)) {
            case 0 -> ignoringErrors(simulation, request(simulation, server -> release(server, token)));
            case 1, 2 -> // the answer was lost, and the client repeats its request
                allOf(List.of(
                        ignoringErrors(simulation, request(simulation, server -> finish(server, token))),
                        ignoringErrors(simulation, request(simulation, server -> finish(server, token)))));
            default -> ignoringErrors(simulation, request(simulation, server -> finish(server, token)));
        };
    }

    private static CompletableFuture<?> ignoringErrors(Simulation simulation, CompletableFuture<?> request) {
        return request.handle((done, error) -> {
            hasSeenHalt |= error != null && isHalt(error);
            simulation.log("client: " + error);
            return true;
        });
    }

    private static CompletableFuture<Void> release(Server server, Token token) {
        return server.jobs()
                .processor()
                .claim(server.process().database(), token.type(), token.id(), token.lock())
                .thenCompose(claim ->
                        server.jobs().processor().release(server.process().database(), claim));
    }

    private static CompletableFuture<Void> finish(Server server, Token token) {
        return server.process()
                .database()
                .runAsync(tx -> server.jobs()
                        .processor()
                        .claim(tx, token.type(), token.id(), token.lock())
                        .thenCompose(claim -> {
                            effect(tx, token);
                            return server.jobs().processor().finish(tx, claim);
                        }))
                .thenAccept(done -> hasSeenOtherServer |= !server.equals(token.server()));
    }

    private static void effect(Transaction tx, Token token) {
        tx.mutate(MutationType.ADD, EFFECTS.pack(token.id()), new byte[] {1});
        tx.set(ENDED_BY.pack(token.id()), Tuple.from(token.lock()).pack());
    }

    /** Follows all types. What it has read outlives its process. */
    private static final class Follower {
        private final Map<String, JobState> states = new HashMap<>();
        private final List<JobChange> seen = new ArrayList<>();
        private Versionstamp since = JobChanges.OLDEST;
        private @Nullable String broken;

        void start(Simulation simulation) {
            SimulatedProcess process = simulation.process(FOLLOWER);
            follow(process, EffectHandler.instance(process));
        }

        private void follow(SimulatedProcess process, CouchJobs jobs) {
            Versionstamp from = since;
            RandomGenerator random = process.random();
            var unused = jobs.changes()
                    .await(from, Duration.ofSeconds(1 + random.nextInt(20)))
                    .thenCompose(any -> jobs.changes().read(process.database(), from, 1 + random.nextInt(10)))
                    .whenComplete((page, error) -> {
                        process.log("follower: " + error);
                        if (error == null && process.isAlive()) {
                            take(page);
                        }
                        var unusedTimer = process.scheduler()
                                .schedule(() -> follow(process, jobs), random.nextInt(300), TimeUnit.MILLISECONDS);
                    });
        }

        private void take(ChangePage page) {
            if (page.isTrimmed()) {
                broken = "trimmed at " + page.next();
            }
            for (JobChange change : page.changes()) {
                if (change.sequence().compareTo(since) <= 0) {
                    broken = change + " is not after " + since;
                }
                states.put(change.jobId(), change.state());
            }
            seen.addAll(page.changes());
            since = page.next();
        }

        /** The changes of each type are those of its feed, which is not trimmed so soon. */
        void check(Simulation simulation) {
            assertThat(broken).isNull();
            assertThat(seen).extracting(JobChange::sequence).isSorted();
            for (JobType<Integer, String> type : TYPES) {
                List<List<Object>> stored = new ArrayList<>();
                Subspace feed = ROWS.subspace(Tuple.from("feed", type.name()));
                for (KeyValue row : read(simulation, feed.range())) {
                    Tuple entry = Tuple.fromBytes(row.getValue());
                    for (int i = 0; i + 1 < entry.size(); i += 2) {
                        stored.add(List.of(entry.getString(i), entry.getString(i + 1)));
                    }
                }
                assertThat(seen)
                        .filteredOn(change -> change.typeName().equals(type.name()))
                        .extracting(change -> List.<Object>of(
                                change.jobId(), change.state().name().toLowerCase(Locale.ROOT)))
                        .isEqualTo(stored);
            }
        }
    }
}
