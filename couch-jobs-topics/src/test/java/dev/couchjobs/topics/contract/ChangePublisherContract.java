package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.topics.ChangePublisher;
import dev.couchjobs.topics.JobChanged;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The changes of a type's jobs are messages of a topic. */
class ChangePublisherContract extends TopicsContract {
    private static final JobType<String, Void> MAIL = JobType.of("mail", String.class);
    private static final Topic<JobChanged> CHANGES = Topic.of("changes", JobChanged.class);

    private CouchJobs jobs;

    @BeforeEach
    void openJobs() {
        jobs = CouchJobs.builder(database).subspace(prefix).build();
        await(topics.create(database, CHANGES, TopicSettings.partitions(2)));
    }

    @AfterEach
    void closeJobs() {
        jobs.close();
    }

    private List<JobChanged> published() {
        List<JobChanged> all = new ArrayList<>();
        for (int partition = 0; partition < 2; partition++) {
            all.addAll(await(topics.read(database, CHANGES, partition, Position.earliest(), 1_000)).messages().stream()
                    .map(Message::value)
                    .toList());
        }
        return all;
    }

    private static JobChanged change(String id, JobState state) {
        return new JobChanged("mail", id, state);
    }

    @Test
    void eachChangeIsAMessageInTheOrderOfTheJob() {
        await(jobs.add(database, MAIL, "a", "hello"));
        try (ChangePublisher publisher = await(topics.publishChanges(jobs, MAIL, CHANGES))) {
            awaitUntil(() -> published().equals(List.of(change("a", JobState.PENDING))));
            try (Worker worker = jobs.worker().process(MAIL, job -> {}).start()) {
                awaitUntil(() -> published()
                        .equals(List.of(
                                change("a", JobState.PENDING),
                                change("a", JobState.RUNNING),
                                change("a", JobState.FINISHED))));
                assertThat(worker.name()).isNotEmpty();
            }
            assertThat(publisher).isNotNull();
        }
    }

    @Test
    void manyPublishersAppendAChangeOnce() {
        List<ChangePublisher> publishers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            publishers.add(await(node(InstantSource.system()).publishChanges(jobs, MAIL, CHANGES)));
        }
        for (int i = 0; i < 50; i++) {
            await(jobs.add(database, MAIL, "j" + i, "hello"));
        }
        awaitUntil(() -> published().size() >= 50);
        await(publishers.remove(0).stop());
        await(publishers.remove(0).stop());
        await(jobs.add(database, MAIL, "last", "hello"));
        awaitUntil(() -> published().size() >= 51);
        publishers.forEach(publisher -> await(publisher.stop()));

        assertThat(published()).hasSize(51);
        assertThat(new HashSet<>(published())).hasSize(51);
    }

    @Test
    void aStoppedPublisherAppendsNothing() {
        await(await(topics.publishChanges(jobs, MAIL, CHANGES)).stop());
        await(jobs.add(database, MAIL, "a", "hello"));
        assertThat(published()).isEmpty();

        ChangePublisher next = await(topics.publishChanges(jobs, MAIL, CHANGES));
        awaitUntil(() -> published().size() == 1);
        await(next.stop());
    }

    @Test
    void theTopicHasToBeThere() {
        assertThatThrownBy(() -> await(topics.publishChanges(jobs, MAIL, Topic.of("missing", JobChanged.class))))
                .hasCauseInstanceOf(TopicNotFoundException.class);
    }

    @Test
    void aTopicThatIsCreatedAgainHasAllChangesAtOnce() {
        await(jobs.add(database, MAIL, "a", "hello"));
        List<JobChanged> changes = List.of(change("a", JobState.PENDING));
        try (ChangePublisher publisher = await(topics.publishChanges(jobs, MAIL, CHANGES));
                ChangePublisher standby = await(node(InstantSource.system()).publishChanges(jobs, MAIL, CHANGES))) {
            awaitUntil(() -> published().equals(changes));
            await(database.runAsync(tx -> topics.delete(tx, CHANGES)
                    .thenCompose(deleted -> topics.create(tx, CHANGES, TopicSettings.partitions(2)))));
            awaitUntil(() -> published().equals(changes));
            await(topics.delete(database, CHANGES));
            await(topics.create(database, CHANGES, TopicSettings.partitions(2)));
            awaitUntil(() -> published().equals(changes));
            assertThat(List.of(publisher, standby)).doesNotContainNull();
        }
    }
}
