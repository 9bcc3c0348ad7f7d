package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsMove;
import dev.couchjobs.MoveTotals;
import dev.couchjobs.OutOfServiceException;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java of docs/operating.md, run; and that it is that page's. */
class OperatingTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Path PAGE = Path.of("..", "docs", "operating.md");
    private static final Path THIS = Path.of("src/test/java/dev/couchjobs/examples/OperatingTest.java");

    @TempDir
    private Path temporary;

    private String from;
    private String to;

    @BeforeEach
    void makeJobs() {
        from = temporary.resolve("from").toString();
        to = temporary.resolve("to").toString();
        try (Database database = Databases.open(from);
                CouchJobs jobs = CouchJobs.on(database)) {
            jobs.add(database, MAIL, "to ann").join();
            jobs.add(database, MAIL, "to bob").join();
        }
    }

    private static long pendingIn(String place) {
        try (Database database = Databases.open(place);
                CouchJobs jobs = CouchJobs.on(database)) {
            return jobs.counts(database, MAIL).join().pending();
        }
    }

    @Test
    void whatToWatchIsCheapToAsk() {
        try (Database database = Databases.open(from);
                CouchJobs jobs = CouchJobs.on(database)) {
            JobCounts counts = jobs.counts(database, MAIL).join();
            Optional<JobSummary> next =
                    jobs.list(database, MAIL, JobState.PENDING, PageRequest.of(1)).join().items().stream()
                            .findFirst();
            Optional<Instant> waitingSince = next.map(job -> job.scheduledTime()
                    .orElseGet(() ->
                            Instant.ofEpochMilli(UUID.fromString(job.jobId()).getMostSignificantBits() >>> 16)));

            assertThat(counts.pending()).isEqualTo(2);
            assertThat(waitingSince.orElseThrow())
                    .isBefore(Instant.now())
                    .isAfter(Instant.now().minusSeconds(600));
        }
    }

    @Test
    void aRowThatCannotBeDecodedIsListedPutBackAndRemoved() {
        byte[] damaged =
                Tuple.from("couch_jobs", "pending", MAIL.name(), 0, new byte[1]).pack();
        try (Database database = Databases.open(from);
                CouchJobs jobs = CouchJobs.on(database)) {
            assertThat(jobs.add(database, MAIL, "to cid")).succeedsWithin(LONG);
            String id = quarantined(database, jobs, damaged);
            jobs.quarantine().restore(database, MAIL, id).join();
            assertThat(database.<byte[]>read(tx -> tx.get(damaged).join())).isNotNull();

            id = quarantined(database, jobs, damaged);
            jobs.quarantine().remove(database, MAIL, id).join();
            Page<QuarantinedRow> page =
                    jobs.quarantine().list(database, MAIL, PageRequest.of(100)).join();
            page.items().forEach(row -> System.out.println(row.id() + " " + row.row() + " " + row.reason()));
            assertThat(page.items()).isEmpty();
        }
    }

    private static String quarantined(Database database, CouchJobs jobs, byte[] damaged) {
        database.run(tx -> {
            tx.set(damaged, new byte[0]);
            return damaged;
        });
        assertThat(jobs.processor().accept(MAIL)).succeedsWithin(LONG);
        Page<QuarantinedRow> page =
                jobs.quarantine().list(database, MAIL, PageRequest.of(100)).join();
        assertThat(page.items()).hasSize(1);
        return page.items().get(0).id();
    }

    @Test
    void jobsAreMovedByTheProcessThatHasThem() {
        long ahead = Long.MAX_VALUE >>> 2;
        try (Database database = Databases.open(from);
                Database cluster = EmbeddedDatabase.openAfter(Path.of(to), ahead);
                CouchJobs jobs = CouchJobs.on(database)) {
            JobsMove move = JobsMove.of(database, cluster, "/etc/foundationdb/fdb.cluster");
            move.copy().join();
            MoveTotals totals = move.finish().join();

            assertThat(totals.rows()).isGreaterThan(4);
            assertThatThrownBy(() -> jobs.add(database, MAIL, "to cid").join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(OutOfServiceException.class);
        }
        assertThat(pendingIn(to)).isEqualTo(2);
    }

    @Test
    void theProgramMovesWhatNobodyHasOpen() {
        EmbeddedDatabase.openAfter(Path.of(to), Long.MAX_VALUE >>> 2).close();
        Printed printed = new Printed();

        MoveJobs.run("copy", from, to, printed.stream());
        MoveJobs.run("abort", from, to, printed.stream());
        assertThat(pendingIn(from)).isEqualTo(2);
        MoveJobs.run("finish", from, to, printed.stream());

        assertThat(printed.text())
                .contains("COPYING", "in service in " + from, "CATCHING_UP", "CHECKING", "Both sides have");
        assertThat(pendingIn(to)).isEqualTo(2);
    }

    @Test
    void aCopyOfADirectoryThatNobodyHasOpenIsABackup() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(from))) {
            for (Path file : files.toList()) {
                Files.copy(file, Path.of(to).resolve(Path.of(from).relativize(file)));
            }
        }

        assertThat(pendingIn(to)).isEqualTo(2);
    }

    @Test
    void theCodeOnThePageIsTheCodeAbove() throws IOException {
        String here = bare(Files.readString(THIS, StandardCharsets.UTF_8));
        Matcher blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE, StandardCharsets.UTF_8));
        int statements = 0;
        while (blocks.find()) {
            for (String line : blocks.group(1).lines().toList()) {
                if (!bare(line).isEmpty()) {
                    assertThat(here).as(line).contains(bare(line));
                    statements++;
                }
            }
        }
        assertThat(statements).isGreaterThan(5);
    }

    /** Without comments and white space, which a formatter may lay out otherwise. */
    private static String bare(String code) {
        return code.replaceAll("//.*", "").replaceAll("\\s", "");
    }
}
