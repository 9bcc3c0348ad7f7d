package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import dev.couchjobs.internal.instance.AgreedClock;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.JacksonCodec;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.json.JsonMapper;

/** Jobs in a subspace of their own, an instance to which things happen by script, and others to whom nothing does. */
final class FaultFixture implements AutoCloseable {
    static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    static final JobType<String, ?> PAPER = JobType.of("paper", String.class);
    static final Duration LONG = Duration.ofMinutes(1);
    /** A mapper learns each type that it reads: a fixture for each try would teach it again. */
    private static final JsonCodec CODEC = JsonCodec.of(JsonMapper.shared());

    final Stage stage;
    final Script script = new Script();
    final FaultyDatabase faulty;
    final CouchJobs jobs;
    final CouchJobs others;
    private final Subspace subspace =
            new Subspace(Tuple.from("faults", UUID.randomUUID().toString()));

    FaultFixture(Stage stage) {
        this(stage, Duration.ofSeconds(30));
    }

    FaultFixture(Stage stage, Duration timeout) {
        this.stage = stage;
        faulty = new FaultyDatabase(stage.database(), script);
        jobs = instance(faulty);
        others = instance(stage.database());
        await(others.types().setTypeTimeout(database(), MAIL, timeout));
        await(others.types().setTypeTimeout(database(), PAPER, timeout));
    }

    private CouchJobs instance(Database on) {
        return CouchJobs.builder(on)
                .subspace(subspace)
                .environment(stage.environment())
                .codec(CODEC)
                .maxClockSkew(
                        Duration.ofDays(36_500)) // a note of a clock would take the fault that is meant for a verb
                .build();
    }

    /** What a worker of the faulty instance works with. */
    Instance worker() {
        Keyspace keyspace = new Keyspace(subspace);
        return new Instance(
                "worker",
                faulty,
                stage.environment(),
                new AgreedClock(stage.environment().clock()),
                keyspace,
                new Transactions(stage.environment(), keyspace, LONG, TransactionLabel.tagged("worker", false)),
                new PayloadCodec(new JacksonCodec(JsonMapper.shared())));
    }

    Database database() {
        return stage.database();
    }

    <T> T await(CompletableFuture<T> future) {
        return stage.await(future);
    }

    /** A job, pending. */
    void added(String jobId, String data) {
        await(others.add(database(), MAIL, jobId, data));
    }

    /** Claims a job in the name of a processor that monitors nothing and is never heard of by itself. */
    Job<String> claimed(String jobId) {
        Job<String> job = await(claim()).orElseThrow();
        assertThat(job.id()).isEqualTo(jobId);
        return job;
    }

    CompletableFuture<Optional<Job<String>>> claim() {
        CouchJobs processor = instance(database());
        return processor
                .processor()
                .accept(MAIL, AcceptOptions.nonBlocking())
                .whenComplete((job, error) -> processor.close());
    }

    /** Claims a job and finishes it, as another processor would. */
    CompletableFuture<?> claimAndFinish() {
        return claim().thenCompose(job -> others.processor().finish(database(), job.orElseThrow()));
    }

    /** How many runs are still to come, if everything that is pending is run. */
    int runs() {
        int runs = 0;
        for (Optional<Job<String>> job = await(claim()); job.isPresent(); job = await(claim())) {
            await(others.processor().finish(database(), job.get()));
            runs++;
        }
        return runs;
    }

    JobState state(String jobId) {
        return await(others.getJobState(database(), MAIL, jobId));
    }

    Optional<String> data(String jobId) {
        return await(others.getJobData(database(), MAIL, jobId));
    }

    TypeRows rows() {
        return rows(MAIL);
    }

    TypeRows rows(JobType<?, ?> type) {
        return await(database().readAsync(tx -> TypeRows.read(tx, subspace, type.name())));
    }

    List<JobState> changesOf(String jobId) {
        return rows().changesOf(jobId);
    }

    /** A counter beside the jobs, for what processors do. */
    byte[] effectKey() {
        return subspace.pack("effect");
    }

    long effects() {
        byte[] value = await(database().readAsync(tx -> tx.get(effectKey())));
        return value == null ? 0 : value[0];
    }

    @Override
    public void close() {
        script.clear();
        jobs.close();
        others.close();
        await(database().runAsync(tx -> {
            tx.clear(subspace.range());
            return CompletableFuture.completedFuture(null);
        }));
    }
}
