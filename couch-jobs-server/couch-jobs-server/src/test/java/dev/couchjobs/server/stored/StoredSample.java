package dev.couchjobs.server.stored;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Schedule;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

/** Jobs and topics in each state in which they may be when an application is upgraded. */
final class StoredSample {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Instant FAR = Instant.parse("2099-01-01T00:00:00Z");
    private static final String LARGE = "x".repeat(200_000);

    record Mail(String to) {}

    private static final JobType<Mail, String> MAIL =
            JobType.of("mail", Mail.class, String.class).activityTimeout(Duration.ofSeconds(1));
    private static final JobType<String, Void> REPORT = JobType.of("report", String.class);
    private static final Topic<String> NEWS = Topic.of("news", String.class);
    private static final Topic<String> PRICES = Topic.of("prices", String.class);

    private StoredSample() {}

    static void write(Path directory) {
        try (Database database = Databases.directory(directory);
                CouchJobs jobs = CouchJobs.on(database)) {
            writeJobs(database, jobs);
            writeTopics(database, Topics.on(database));
        }
    }

    private static void writeJobs(Database database, CouchJobs jobs) {
        add(database, jobs, NewJob.of(MAIL, new Mail("finished")).id("finished"));
        Job<Mail> finished = claim(jobs);
        jobs.processor().log(database, finished, "an entry").join();
        jobs.processor().finishWithResult(database, MAIL, finished, "sent").join();
        add(database, jobs, NewJob.of(MAIL, new Mail("dead")).id("dead"));
        jobs.processor().fail(database, claim(jobs), "no such address", false).join();
        add(database, jobs, NewJob.of(MAIL, new Mail("running")).id("running"));
        claim(jobs);
        add(database, jobs, NewJob.of(MAIL, new Mail("ready")).id("ready").priority(3));
        add(
                database,
                jobs,
                NewJob.of(MAIL, new Mail("later")).id("later").at(FAR).tags("blue"));
        add(database, jobs, NewJob.of(MAIL, new Mail(LARGE)).id("large").header("trace", "t-1"));
        add(database, jobs, NewJob.of(REPORT, "after ready").id("dependent").after(MAIL, "ready"));
        add(database, jobs, NewJob.of(REPORT, "of a key").id("limited").limitKey("tenant"));
        add(database, jobs, NewJob.of(REPORT, "in turn").id("turn").turnKey("tenant"));
        add(database, jobs, NewJob.of(REPORT, "first").id("first").sequence("line"));
        add(database, jobs, NewJob.of(REPORT, "second").id("second").sequence("line"));
        jobs.batches().open(database, Batch.of("batch")).join();
        add(database, jobs, NewJob.of(REPORT, "of a batch").id("member").batch("batch"));
        jobs.batches().seal(database, "batch").join();
        NewJob<String> nightly = NewJob.of(REPORT, "nightly");
        jobs.schedules()
                .put(database, Schedule.cron("nightly", "0 3 * * *", ZoneOffset.UTC, nightly))
                .join();
    }

    private static void add(Database database, CouchJobs jobs, NewJob<?> job) {
        jobs.add(database, job).join();
    }

    private static Job<Mail> claim(CouchJobs jobs) {
        return jobs.processor().accept(MAIL, AcceptOptions.defaults()).join().orElseThrow();
    }

    private static void writeTopics(Database database, Topics topics) {
        topics.create(database, NEWS, TopicSettings.partitions(2)).join();
        for (int i = 0; i < 4; i++) {
            NewMessage<String> message = NewMessage.of("m" + i).key("key").header("h", "v");
            topics.append(database, NEWS, message).join();
        }
        topics.append(database, NEWS, NewMessage.of(LARGE).key("key")).join();
        topics.group(NEWS, "readers").create(database, Position.earliest()).join();
        assertThat(topics.group(NEWS, "readers").poll(database, 2).join()).hasSize(2);
        topics.create(database, PRICES, TopicSettings.partitions(1).compactAfter(Duration.ofDays(1)))
                .join();
        topics.append(database, PRICES, NewMessage.of("1").key("lamp")).join();
        topics.append(database, PRICES, NewMessage.of("2").key("lamp")).join();
    }

    /** Goes on with what is in a directory, as an upgraded application does. */
    static void check(Path directory) {
        try (Database database = Databases.directory(directory);
                CouchJobs jobs = CouchJobs.on(database)) {
            checkWhatIsStored(database, jobs);
            checkThatWorkGoesOn(database, jobs);
            checkTopics(database, Topics.on(database));
        }
    }

    private static void checkWhatIsStored(Database database, CouchJobs jobs) {
        JobInfo<Mail, String> finished =
                jobs.getJob(database, MAIL, "finished").join().orElseThrow();
        assertThat(finished.state()).isEqualTo(JobState.FINISHED);
        assertThat(jobs.result(MAIL, "finished", LONG)).isEqualTo("sent");
        assertThat(jobs.deadLetters()
                        .list(database, MAIL, PageRequest.of(10))
                        .join()
                        .items())
                .singleElement()
                .satisfies(letter -> assertThat(letter.toString()).contains("no such address"));
        assertThat(jobs.getJobData(database, MAIL, "large").join()).contains(new Mail(LARGE));
        assertThat(jobs.listTagged(database, MAIL, "blue", PageRequest.of(10))
                        .join()
                        .items())
                .singleElement()
                .satisfies(job -> assertThat(job.toString()).contains("later"));
        assertThat(jobs.schedules().get(database, "nightly").join()).isPresent();
        assertThat(jobs.batches().get(database, "batch").join()).isPresent();
        assertThat(jobs.counts(database, MAIL).join().total()).isEqualTo(6);
    }

    private static void checkThatWorkGoesOn(Database database, CouchJobs jobs) {
        List<String> reports = List.of("dependent", "limited", "turn", "first", "second", "member");
        try (Worker worker = jobs.worker()
                .handle(MAIL, job -> "sent to " + job.data().to().length())
                .process(REPORT, job -> {})
                .start()) {
            assertThat(worker.name()).isNotEmpty();
            assertThat(jobs.result(MAIL, "ready", LONG)).isEqualTo("sent to 5");
            assertThat(jobs.result(MAIL, "running", LONG)).isEqualTo("sent to 7");
            assertThat(jobs.result(MAIL, "large", LONG)).isEqualTo("sent to 200000");
            reports.forEach(id -> jobs.result(REPORT, id, LONG));
            assertThat(jobs.deadLetters().retry(database, MAIL, "dead").join()).isTrue();
            assertThat(jobs.result(MAIL, "dead", LONG)).isEqualTo("sent to 4");
        }
        assertThat(jobs.getJobState(database, MAIL, "later").join()).isEqualTo(JobState.PENDING);
    }

    private static void checkTopics(Database database, Topics topics) {
        topics.append(database, NEWS, NewMessage.of("new").key("key")).join();
        List<Message<String>> rest =
                topics.group(NEWS, "readers").poll(database, 10).join();
        assertThat(rest.stream().map(Message::value)).containsExactly("m2", "m3", LARGE, "new");
        assertThat(rest.get(0).headers()).containsEntry("h", "v");
        assertThat(topics.latest(database, PRICES, "lamp").join().orElseThrow().value())
                .isEqualTo("2");
        topics.append(database, PRICES, NewMessage.of("3").key("lamp")).join();
        assertThat(topics.latest(database, PRICES, "lamp").join().orElseThrow().value())
                .isEqualTo("3");
    }
}
