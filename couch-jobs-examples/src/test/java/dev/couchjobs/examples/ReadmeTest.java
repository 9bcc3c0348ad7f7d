package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.ChangePage;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Renewal;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The Java of the README, run; and that it is the README's. */
class ReadmeTest {
    private final byte[] imageBytes = {3, 4};

    private final List<String> told = new ArrayList<>();
    private boolean isOpen = true;
    private Runnable ifTold = () -> {};

    record Thumbnail(String image) {}

    record Mail(String to) {}

    record Size(int width, int height) {}

    @Test
    @SuppressWarnings("LocalVariableName") // as in the README, where there is no class around it
    void theJobAndItsDataCommitTogetherAndTheEndIsSeen() {
        JobType<Thumbnail, Size> THUMBNAIL = JobType.of("thumbnail", Thumbnail.class, Size.class);

        Database database = Databases.inMemory();
        CouchJobs jobs = CouchJobs.on(database);
        byte[] thumbnailKey = Tuple.from("thumbnail", "img-42").pack();

        database.run(tx -> {
            tx.set(Tuple.from("image", "img-42").pack(), imageBytes);
            return jobs.add(tx, THUMBNAIL, "img-42", new Thumbnail("img-42")).join();
        });
        assertThat(stored(database, Tuple.from("image", "img-42").pack())).isEqualTo(imageBytes);

        Worker worker = jobs.worker()
                .handle(
                        THUMBNAIL,
                        job -> job.finish(tx -> {
                            byte[] image = tx.get(Tuple.from("image", job.data().image())
                                            .pack())
                                    .join();
                            tx.set(Tuple.from("thumbnail", job.data().image()).pack(), scale(image));
                            return new Size(64, 64);
                        }))
                .concurrency(16)
                .start();

        Size size = jobs.result(THUMBNAIL, "img-42", Duration.ofSeconds(10));
        assertThat(size).isEqualTo(new Size(64, 64));
        assertThat(stored(database, thumbnailKey)).isEqualTo(scale(imageBytes));
        worker.close();

        database.run(tx -> {
            tx.clear(thumbnailKey);
            return jobs.add(tx, THUMBNAIL, "img-43", new Thumbnail("img-43")).join();
        });
        Job<Thumbnail> job = jobs.processor().accept(THUMBNAIL).join().orElseThrow();

        database.run(tx -> {
            tx.set(thumbnailKey, scale(imageBytes));
            return jobs.processor().finish(tx, job).join();
        });
        assertThat(stored(database, thumbnailKey)).isEqualTo(scale(imageBytes));

        try (Subscription<Thumbnail> subscription =
                jobs.subscribe(database, THUMBNAIL, "img-43").join()) {
            Optional<JobEvent<Thumbnail>> end = subscription
                    .awaitEvent(JobState.FINISHED, Duration.ofSeconds(10))
                    .join();
            assertThat(end.orElseThrow().data()).contains(new Thumbnail("img-43"));
        }
        jobs.add(database, THUMBNAIL, "img-44", new Thumbnail("img-44")).join();
        Job<Thumbnail> lost = jobs.processor().accept(THUMBNAIL).join().orElseThrow();
        jobs.remove(database, THUMBNAIL, "img-44").join();
        assertThatThrownBy(() -> jobs.processor().update(database, lost).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(JobHaltedException.class);
        jobs.close();
        database.close();
    }

    @Test
    @SuppressWarnings("LocalVariableName") // as on the page
    void aProcessGoesOnWithTheClaimsOfAnother() {
        JobType<Mail, Void> MAIL = JobType.of("mail", Mail.class);
        Database database = Databases.inMemory();
        CouchJobs jobs = CouchJobs.on(database);
        jobs.add(database, MAIL, "m-1", new Mail("jo")).join();

        List<Job<Mail>> claims =
                jobs.processor().accept(MAIL, 10, AcceptOptions.defaults()).join();

        String id = claims.get(0).id();
        UUID lock = claims.get(0).lock();
        CompletableFuture<Void> finished = jobs.processor()
                .claim(database, MAIL, id, lock)
                .thenCompose(claim -> jobs.processor().finish(database, claim));
        finished.join();
        assertThat(jobs.getJobState(database, MAIL, "m-1").join()).isEqualTo(JobState.FINISHED);

        for (Renewal renewal : jobs.processor().updateAll(database, claims).join()) {
            renewal.halt().ifPresent(lost -> tell(renewal.job(), lost.isCancelled(), lost.isRemoved()));
        }
        assertThat(told).containsExactly("m-1");
        jobs.close();
        database.close();
    }

    private void tell(Job<?> job, boolean isCancelled, boolean isRemoved) {
        assertThat(isCancelled || isRemoved).isFalse();
        told.add(job.id());
    }

    @Test
    @SuppressWarnings("LocalVariableName") // as on the page
    void aProcessFollowsTheChangesOfAType() {
        JobType<Mail, Void> MAIL = JobType.of("mail", Mail.class);
        Database database = Databases.inMemory();
        CouchJobs jobs = CouchJobs.on(database);

        Versionstamp since = jobs.changes().now(database).join();
        jobs.add(database, MAIL, "m-1", new Mail("jo")).join();
        // The change that ends the last wait.
        ifTold = () -> jobs.add(database, MAIL, "m-2", new Mail("jo")).join();
        while (isOpen) {
            ChangePage page = jobs.changes().read(database, MAIL, since, 100).join();
            if (page.isTrimmed()) {
                listAgain(jobs.atLeastVersion(database, page.next()));
            }
            page.changes().forEach(this::tell);
            since = page.next();
            if (!page.hasMore()) {
                jobs.changes().await(MAIL, since, Duration.ofSeconds(30)).join();
            }
        }
        assertThat(told).containsExactly("m-1");
        jobs.close();
        database.close();
    }

    private void tell(JobChange change) {
        told.add(change.jobId());
        isOpen = false;
        ifTold.run();
    }

    private static void listAgain(ReadTransactionContext context) {
        throw new AssertionError("Nothing was trimmed, and yet is to be listed in " + context);
    }

    @Test
    void theCodeInTheReadmeAndInVerbsIsTheCodeAbove() throws IOException {
        CodeOfPage.isIn("README.md", ReadmeTest.class, 17);
        CodeOfPage.isIn("docs/verbs.md", ReadmeTest.class, 8);
    }

    private static byte[] scale(byte[] image) {
        return new byte[] {image[0]};
    }

    private static byte[] stored(Database database, byte[] key) {
        return database.read(tx -> tx.get(key).join());
    }
}
