package dev.couchjobs.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.instance.AgreedClock;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.monitor.BackgroundServices;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.sweep.RetentionService;
import dev.couchjobs.internal.transactions.TransactionLabel;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.JacksonCodec;
import dev.couchjobs.internal.views.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** An acceptor is closed some time after its last request, and created again for a later one. */
class AcceptorsTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    private static final Duration LONG = Duration.ofMinutes(5);
    /** More jobs than one round claims. */
    private static final int BACKLOG = 250;

    private final VirtualStage stage = new VirtualStage(11);
    private final CouchJobs jobs =
            CouchJobs.builder(stage.database()).environment(stage.environment()).build();
    private final Instance instance = instance();
    private final RetentionService retentionService = new RetentionService(instance, Duration.ofDays(1));
    private final BackgroundServices services =
            new BackgroundServices(instance, Duration.ofMinutes(10), retentionService);
    private final Acceptors acceptors = new Acceptors(instance, services);

    private Instance instance() {
        Keyspace keyspace = new Keyspace(new Subspace());
        return new Instance(
                "worker",
                stage.database(),
                stage.environment(),
                new AgreedClock(stage.environment().clock()),
                keyspace,
                new Transactions(
                        stage.environment(),
                        keyspace,
                        Duration.ofSeconds(30),
                        TransactionLabel.tagged("worker", false)),
                new PayloadCodec(new JacksonCodec(JsonMapper.shared())));
    }

    @BeforeEach
    void open() {
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, Duration.ofDays(1)));
    }

    @AfterEach
    void close() {
        acceptors.close();
        services.close();
        retentionService.close();
        jobs.close();
        stage.close();
    }

    private void add(String jobId) {
        stage.await(jobs.add(stage.database(), MAIL, jobId, "data"));
    }

    @Test
    void itIsClosedWhenNoCallerWaits() {
        CompletableFuture<Optional<Job<String>>> accepted = acceptors.accept(MAIL, AcceptOptions.defaults());
        stage.time().advance(LONG);
        assertThat(acceptors.count()).isEqualTo(1);

        add("a");
        assertThat(stage.await(accepted)).isPresent();
        stage.time().advance(LONG);

        assertThat(acceptors.count()).isZero();
    }

    @Test
    void aLaterCallerReceivesAJobLikeTheFirst() {
        stage.await(acceptors.accept(MAIL, AcceptOptions.nonBlocking()));
        stage.time().advance(LONG);
        CompletableFuture<Optional<Job<String>>> accepted = acceptors.accept(MAIL, AcceptOptions.defaults());
        stage.time().advance(LONG);

        add("a");

        assertThat(stage.await(accepted)).map(Job::id).contains("a");
    }

    @Test
    void successiveCallersShareAnAcceptor() {
        for (int i = 0; i < 10; i++) {
            add("j" + i);
            assertThat(stage.await(acceptors.accept(MAIL, AcceptOptions.defaults())))
                    .isPresent();
            assertThat(acceptors.count()).isEqualTo(1);
            stage.time().advance(Duration.ofSeconds(10));
        }
    }

    @Test
    void aBacklogOfATypeThatIsNotWatchedIsClaimedWithoutPauses() {
        List<CompletableFuture<Optional<Job<String>>>> accepted = new ArrayList<>();
        try (Acceptors unwatched = new Acceptors(instance, services, 0)) {
            IntStream.range(0, BACKLOG).forEach(i -> add("j" + i));
            learnThatTheTypeIsInUse();

            Instant begun = stage.environment().clock().instant();
            IntStream.range(0, BACKLOG).forEach(i -> accepted.add(unwatched.accept(MAIL, AcceptOptions.defaults())));
            accepted.forEach(claim -> assertThat(stage.await(claim)).isPresent());

            assertThat(Duration.between(begun, stage.environment().clock().instant()))
                    .isLessThan(Duration.ofMillis(500));
        }
    }

    @Test
    void aJobOfATypeThatIsNotWatchedIsClaimedWhenItIsDue() {
        try (Acceptors unwatched = new Acceptors(instance, services, 0)) {
            Instant due = stage.environment()
                    .clock()
                    .instant()
                    .truncatedTo(ChronoUnit.SECONDS)
                    .plus(LONG);
            stage.await(
                    jobs.add(stage.database(), NewJob.of(MAIL, "data").id("a").at(due)));
            learnThatTheTypeIsInUse();
            Instant shortlyBefore = due.minusMillis(200);
            stage.time().advance(Duration.between(stage.environment().clock().instant(), shortlyBefore));

            assertThat(stage.await(unwatched.accept(MAIL, AcceptOptions.defaults())))
                    .isPresent();

            assertThat(Duration.between(due, stage.environment().clock().instant()))
                    .isLessThan(Duration.ofMillis(100));
        }
    }

    private void learnThatTheTypeIsInUse() {
        services.monitor(MAIL);
        stage.time().advance(Duration.ofMinutes(1));
        assertThat(services.isInUse(MAIL.name())).isTrue();
    }
}
