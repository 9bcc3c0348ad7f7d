package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import dev.couchjobs.contract.LabelledDatabase.Label;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operators of a cluster are told of the transactions that the library opens. */
class LabelsContract extends JobsContract {
    private static final Set<String> TAG = Set.of("couch-jobs");
    private static final JobType<WorkData, Void> LETTER = JobType.of(MAIL.name(), WorkData.class);

    private LabelledDatabase seen;
    private CouchJobs node;

    @BeforeEach
    void openSeenNode() {
        seen = new LabelledDatabase(database);
        node = node(seen.asDatabase(), Environment.system());
    }

    @Test
    void everyTransactionSaysWhatItIsFor() {
        await(node.add(seen.asDatabase(), MAIL, "a", new WorkData(1)));
        try (Subscription<WorkData> subscription = await(node.subscribe(seen.asDatabase(), MAIL, "a"))) {
            Job<WorkData> job = await(node.processor().accept(MAIL)).orElseThrow();
            await(subscription.awaitEvent(LONG));
            await(node.processor().finish(seen.asDatabase(), job));
        }

        for (String purpose : new String[] {"add", "subscribe", "accept", "notify", "finish"}) {
            await(seen.first("couch-jobs " + purpose + " mail"));
        }
        for (String purpose :
                new String[] {"read monitor leases", "check types in use", "trim", "release", "scan retention"}) {
            await(seen.first("couch-jobs " + purpose));
        }
        assertThat(seen.labels()).allSatisfy(label -> {
            assertThat(label.tags()).isEqualTo(TAG);
            assertThat(label.identifiers()).hasSize(1);
        });
    }

    @Test
    void theMonitorAndTheSweepOfATypeSayWhatTheyAreFor() {
        JobType<WorkData, ?> brief = MAIL.retention(Retention.of(Duration.ofSeconds(1)));
        await(jobs.types().setTypeTimeout(database, MAIL, Duration.ofSeconds(5)));
        try (CouchJobs leaving = node()) {
            await(leaving.add(database, brief, "a", new WorkData(1)));
            await(leaving.processor()
                    .finish(database, await(leaving.processor().accept(brief)).orElseThrow()));
        }

        node.maintenance().monitor(brief);

        await(seen.first("couch-jobs monitor mail"));
        await(seen.first("couch-jobs retire mail"));
    }

    @Test
    void heartbeatsCarryNoTag() {
        shortLeases(MAIL);
        await(jobs.add(database, MAIL, "a", new WorkData(1)));
        CompletableFuture<Label> heartbeat = seen.first("couch-jobs heartbeat mail");
        Worker worker = node.worker().process(LETTER, job -> await(heartbeat)).start();

        assertThat(await(heartbeat).tags()).isEmpty();
        assertThat(await(seen.first("couch-jobs end mail")).tags()).isEqualTo(TAG);
        worker.close();
    }

    @Test
    void theTransactionOfAHandlerIsTaggedAndItsToName() {
        await(jobs.add(database, MAIL, "a", new WorkData(1)));
        CompletableFuture<Label> named = seen.first("the handler's");
        Worker worker = node.worker()
                .process(
                        LETTER,
                        job -> job.finish(tx -> {
                            tx.options().setDebugTransactionIdentifier("the handler's");
                            tx.set(key("a"), new byte[0]);
                            return null;
                        }))
                .start();

        Label label = await(named);
        worker.close();
        assertThat(label.tags()).isEqualTo(TAG);
        assertThat(label.identifiers()).containsExactly("the handler's");
    }

    @Test
    void theTransactionOfACallerIsLeftAsItIs() {
        await(seen.asDatabase().runAsync(tx -> node.add(tx, MAIL, "a", new WorkData(1))));

        assertThat(seen.labels()).containsExactly(new Label());
    }

    @Test
    void anInstanceMayHaveAnotherTag() {
        CouchJobs other = CouchJobs.builder(database)
                .subspace(prefix)
                .transactionTag("mail-jobs")
                .build();
        await(other.add(seen.asDatabase(), MAIL, "a", new WorkData(1)));
        other.close();

        assertThat(seen.labels()).containsExactly(new Label(Set.of("mail-jobs"), Set.of("mail-jobs add mail")));
    }

    @Test
    void tracedTransactionsAreNamedFirst() {
        CouchJobs traced = CouchJobs.builder(database)
                .subspace(prefix)
                .traceTransactions(true)
                .build();
        await(traced.add(database, MAIL, "a", new WorkData(1)));

        assertThat(await(traced.processor().accept(MAIL))).isPresent();
        traced.close();
    }

    @Test
    void aLongNameIsCutBetweenTwoCharacters() {
        JobType<WorkData, ?> type = JobType.of("\u00fc".repeat(60), WorkData.class);
        await(node.types().setTypeTimeout(seen.asDatabase(), type, Duration.ofSeconds(30)));
        await(node.add(seen.asDatabase(), type, "a", new WorkData(1)));

        assertThat(seen.identifiers())
                .contains("couch-jobs add " + "\u00fc".repeat(42))
                .allSatisfy(identifier ->
                        assertThat(identifier.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(99, 100));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "seventeen letters", "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fcx"})
    void aTagHasOneToSixteenBytes(String tag) {
        CouchJobsBuilder builder = CouchJobs.builder(database);

        assertThatThrownBy(() -> builder.transactionTag(tag))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 16 bytes");
    }
}
