package dev.couchjobs.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RowReaderTest {
    private static final Subspace SUBSPACE = new Subspace(Tuple.from("reader"));
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final int JOBS = 300;

    private final VirtualStage stage = new VirtualStage(7);
    private final Keyspace keyspace = new Keyspace(SUBSPACE);
    private final RowReader reader = new RowReader();
    private final CouchJobs jobs = CouchJobs.builder(stage.database())
            .subspace(SUBSPACE)
            .environment(stage.environment())
            .build();

    @BeforeEach
    void addEveryOtherJob() {
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, Duration.ofSeconds(30)));
        stage.await(jobs.addAll(
                stage.database(),
                IntStream.range(0, JOBS)
                        .filter(RowReaderTest::exists)
                        .mapToObj(number -> NewJob.of(MAIL, "hi").id(id(number)))
                        .toList()));
    }

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private static boolean exists(int number) {
        return number % 2 == 0;
    }

    private static String id(int number) {
        return "%03d".formatted(number);
    }

    private JobRef ref(int number) {
        return keyspace.job(MAIL.name(), id(number));
    }

    private List<JobRef> refs(IntStream numbers) {
        return numbers.mapToObj(this::ref).toList();
    }

    private void assertReadsWhatSingleReadsDo(List<JobRef> refs) {
        try (Transaction tx = stage.database().createTransaction()) {
            List<Optional<JobRow>> rows = stage.await(reader.read(tx, refs));
            for (int i = 0; i < refs.size(); i++) {
                int number = Integer.parseInt(refs.get(i).id());
                assertThat(rows.get(i).isPresent()).as("job %d", number).isEqualTo(exists(number));
            }
        }
    }

    private boolean conflictsWithChangeOf(int number, List<JobRef> read) {
        try (Transaction tx = stage.database().createTransaction()) {
            stage.await(reader.read(tx, read));
            tx.set(SUBSPACE.pack("written"), new byte[0]);
            stage.await(jobs.add(
                    stage.database(), NewJob.of(MAIL, "changed " + number).id(id(number))));
            return stage.await(tx.commit().handle((done, error) -> error != null));
        }
    }

    @Test
    void presentAndMissingRowsAreReadInTheOrderOfTheJobs() {
        assertReadsWhatSingleReadsDo(refs(IntStream.range(10, 60)));
        List<JobRef> shuffled = new ArrayList<>(refs(IntStream.range(10, 60)));
        Collections.shuffle(shuffled, new Random(7));
        assertReadsWhatSingleReadsDo(shuffled);
    }

    @Test
    void aJobMayBeReadTwice() {
        assertReadsWhatSingleReadsDo(refs(IntStream.concat(IntStream.range(10, 60), IntStream.range(20, 30))));
    }

    @Test
    void jobsFarApartAreReadToo() {
        for (int i = 0; i < 40; i++) {
            assertReadsWhatSingleReadsDo(refs(IntStream.range(0, 20).map(number -> number * 15)));
        }
    }

    @Test
    void onlyTheJobsThatWereReadConflict() {
        List<JobRef> read = refs(IntStream.range(10, 60).filter(number -> number != 30 && number != 31));
        assertThat(conflictsWithChangeOf(20, read)).isTrue();
        assertThat(conflictsWithChangeOf(21, read)).isTrue();
        assertThat(conflictsWithChangeOf(30, read)).isFalse();
        assertThat(conflictsWithChangeOf(31, read)).isFalse();
    }

    @Test
    void theWritesOfTheTransactionAreSeen() {
        List<JobRef> read = refs(IntStream.range(10, 60));
        try (Transaction tx = stage.database().createTransaction()) {
            stage.await(jobs.remove(tx, MAIL, id(20)));
            assertThat(stage.await(reader.read(tx, read)).get(10)).isEmpty();
            assertThat(stage.await(reader.read(tx, read)).get(12)).isPresent();
        }
    }
}
