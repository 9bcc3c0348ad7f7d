package dev.couchjobs.simulation;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.Unique;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** Damages rows, past all faults: those of jobs that it adds itself, and rows that stand for nothing in the indexes. */
final class Damager {
    private static final Subspace ROOT = JobsSimulation.PREFIX.subspace(Tuple.from("couch_jobs"));
    private static final String VICTIM = "victim-";
    private static final List<byte[]> DAMAGED = List.of(
            new byte[] {0x7F, 0x13},
            new byte[0],
            Tuple.from("x").pack(),
            Tuple.from(0L).pack(),
            Tuple.from(0L, null, "soon", false, new byte[0]).pack(),
            Tuple.from("later", null, 0L, false, new byte[0]).pack(),
            Tuple.from(0L, null, 0L, false, new byte[0], null, "terms").pack());
    /** The longest pause of a sweep, with its jitter, and a pass. */
    private static final Duration CHECKED_WITHIN = Duration.ofMinutes(15);

    private static final Versionstamp STAMP = Versionstamp.complete(new byte[10], 3);

    private final Simulation simulation;
    private final Oracle oracle;
    private final CouchJobs jobs;
    private final JobType<String, String> type;
    private final RandomGenerator random;
    private final List<String> victims = new ArrayList<>();
    private int added;

    Damager(Simulation simulation, Oracle oracle, SimulatedNode node) {
        this.simulation = simulation;
        this.oracle = oracle;
        this.jobs = node.jobs();
        this.type = node.type();
        this.random = simulation.random();
    }

    /** Does one of these, or nothing. */
    void turn() {
        switch (random.nextInt(6)) {
            case 0, 1, 2 -> add();
            case 3 -> damage();
            case 4 -> plant();
            default -> {}
        }
    }

    private void add() {
        String jobId = VICTIM + added++;
        NewJob<String> plain =
                NewJob.of(type, Payloads.unique(random)).id(jobId).priority(random.nextInt(-1, 2));
        NewJob<String> tagged = random.nextBoolean() ? plain.tags("victim", "tagged") : plain;
        NewJob<String> job = random.nextBoolean() ? tagged.unique(Unique.by(jobId)) : tagged;
        oracle.adding(jobId);
        simulation.await(simulation
                .database()
                .runAsync(tx -> jobs.types()
                        .setTypeTimeout(tx, type, JobsSimulation.TIMEOUT)
                        .thenCompose(set -> jobs.add(tx, job))));
        victims.add(jobId);
    }

    private void damage() {
        if (victims.isEmpty()) {
            return;
        }
        String jobId = victims.remove(random.nextInt(victims.size()));
        byte[] key = DamageLaw.keyOf(jobId);
        byte[] bytes = DAMAGED.get(random.nextInt(DAMAGED.size()));
        simulation.log("damages " + jobId);
        simulation.await(simulation
                .database()
                .runAsync(tx -> tx.get(key).thenApply(row -> {
                    if (row != null && !Arrays.equals(row, bytes)) {
                        oracle.damageLaw().damaging(jobId, bytes);
                        tx.set(key, bytes);
                    }
                    return tx;
                })));
    }

    private void plant() {
        byte[] key = strayKey();
        byte[] bytes = DAMAGED.get(random.nextInt(DAMAGED.size()));
        simulation.log("plants " + ByteArrayUtil.printable(key));
        oracle.damageLaw().planting(key, bytes);
        simulation.await(simulation.database().runAsync(tx -> {
            tx.set(key, bytes);
            return CompletableFuture.completedFuture(tx);
        }));
    }

    /** {@return a key that is that of no row} */
    private byte[] strayKey() {
        return switch (random.nextInt(10)) {
            case 0 -> key("pending", "soon", "job-0");
            case 1 -> key("pending", 0, 17);
            case 2 -> ByteArrayUtil.join(key("pending", 0), DAMAGED.get(0));
            case 3 -> key("ranked", 0, "high", 0, 0, "job-1");
            case 4 -> key("data", 17);
            case 5 -> key("data", "job-1", "more");
            case 6 -> key("activity", "no stamp");
            case 7 -> key("feed", "no stamp");
            case 8 -> key("retire", false, "soon", STAMP);
            default -> key("retire", true, 5);
        };
    }

    private static CompletableFuture<Boolean> areIndexesChecked(ReadTransaction tx) {
        return tx.getRange(ROOT.range(Tuple.from("index_check"))).asList().thenApply(List::isEmpty);
    }

    private byte[] key(String table, Object... path) {
        return ROOT.subspace(Tuple.from(table, type.name())).pack(Tuple.from(path));
    }

    /** Removes for good what is in quarantine, as an operator would, once a process has checked the indexes. */
    void clearUp(CouchJobs operator) {
        operator.maintenance().monitor(type);
        Duration latest = simulation.elapsed().plus(CHECKED_WITHIN);
        while (!simulation.await(simulation.database().readAsync(tx -> areIndexesChecked(tx)))) {
            oracle.require(simulation.elapsed().compareTo(latest) < 0, "The indexes are not checked");
            simulation.advance(Duration.ofSeconds(1));
        }
        for (QuarantinedRow row : simulation
                .await(operator.quarantine().list(simulation.database(), type, PageRequest.of(1_000)))
                .items()) {
            oracle.require(
                    simulation.await(operator.quarantine().remove(simulation.database(), type, row.id())),
                    row + " is not there any more");
        }
    }
}
