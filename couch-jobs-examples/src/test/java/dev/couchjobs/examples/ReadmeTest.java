package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The Java of the README, run; and that it is the README's. */
class ReadmeTest {
    private final byte[] imageBytes = {3, 4};

    record Thumbnail(String image) {}

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
