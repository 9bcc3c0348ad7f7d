package dev.couchjobs.server;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.Rate;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Worker;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Jobs in all states, for people to look at ({@link #MAIL}), and to attack the page ({@link #EVIL}). */
final class Scene implements AutoCloseable {
    static final JobType<Object, Object> MAIL = type("send-mail");
    static final JobType<Object, Object> REPORT = type("monthly-report");
    static final JobType<Object, Object> THUMBNAIL = type("thumbnail");

    /** Of this one the tests add the jobs that they need. */
    static final JobType<Object, Object> MANY = type("many");

    /** Text that a page which makes HTML of it would run. */
    static final String ATTACK = "\"'><img src=x onerror=\"window.attacked=1\"><script>window.attacked=1</script>";

    static final JobType<Object, Object> EVIL = type("evil " + ATTACK);

    /** More digits than a number of the browser has. */
    static final String DIGITS = "12345678901234567890123";

    private static final Duration LONG = Duration.ofSeconds(30);

    private final TestServer server;
    private final CouchJobs jobs;
    private final List<Worker> workers = new ArrayList<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    private Scene(TestServer server) {
        this.server = server;
        this.jobs = server.jobs;
    }

    private static JobType<Object, Object> type(String name) {
        return JobType.of(name, Object.class, Object.class)
                .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1)));
    }

    /** Without the attacks. */
    static Scene forPeople(TestServer server) {
        Scene scene = new Scene(server);
        scene.people();
        return scene;
    }

    static Scene play(TestServer server) {
        Scene scene = forPeople(server);
        scene.attack();
        return scene;
    }

    private void people() {
        String mailWorker = "mail-eu";
        jobs.statuses().index(MAIL).join();
        for (int i = 1; i <= 7; i++) {
            add(mail("welcome-" + i, "user" + i + "@example.org").tags("signup"));
        }
        add(NewJob.of(MAIL, (Object) Map.of("to", "nobody@invalid", "fail", true))
                .id("bounce-1"));
        add(NewJob.of(MAIL, (Object) Map.of("to", "void@invalid", "fail", true)).id("bounce-2"));
        add(mail("too-late", "late@example.org").startBefore(Instant.now().minusSeconds(5)));
        start(mailWorker, MAIL, 4);
        awaitEnds(MAIL, "welcome-1", "welcome-7", "bounce-1", "bounce-2", "too-late");
        add(NewJob.of(MAIL, (Object) Map.of("to", "all@example.org", "hold", true))
                .id("newsletter-send"));
        awaitRunning();

        String batch = "newsletter-november";
        jobs.batches().open(server.database, Batch.of(batch)).join();
        Instant tomorrow = Instant.now().plus(Duration.ofHours(20));
        for (int i = 1; i <= 12; i++) {
            add(mail("newsletter-" + i, "reader" + i + "@example.org")
                    .at(tomorrow.plusSeconds(i))
                    .batch(batch)
                    .priority(i % 3)
                    .tags("newsletter", "november"));
        }
        add(mail("wrong-address", "typo@example.org").at(tomorrow).batch(batch));
        jobs.control()
                .cancel(server.database, MAIL, "wrong-address", "the address has a typo")
                .join();
        add(mail("newsletter-thanks", "editor@example.org").after(MAIL, "newsletter-1", "newsletter-2"));
        add(mail("newsletter-report", "ops@example.org").after(MAIL, "newsletter-thanks"));

        jobs.limits().setTotal(server.database, REPORT, 2).join();
        jobs.limits()
                .setRate(server.database, REPORT, Rate.perWindow(10, Duration.ofSeconds(60)))
                .join();
        for (int i = 1; i <= 5; i++) {
            add(NewJob.of(REPORT, (Object) Map.of("month", "2026-1" + (i % 3), "pages", i * 7))
                    .id("report-" + i));
        }
        jobs.types()
                .pause(server.database, REPORT, "the printer is out of paper")
                .join();
        for (int i = 1; i <= 40; i++) {
            add(NewJob.of(THUMBNAIL, (Object) Map.of("image", "img-" + i))
                    .id("img-" + i)
                    .limitKey("tenant-" + i % 3));
        }
        start("images", THUMBNAIL, 8);
        awaitEnds(THUMBNAIL, "img-1", "img-40");
        jobs.schedules()
                .put(
                        server.database,
                        Schedule.cron("month-end", "0 6 1 * *", ZoneId.of("Europe/Berlin"), NewJob.of(REPORT, (Object)
                                Map.of("month", "last"))))
                .join();
        jobs.schedules()
                .put(server.database, Schedule.every("heartbeat-mail", Duration.ofHours(6), NewJob.of(MAIL, (Object)
                        Map.of("to", "ops@example.org"))))
                .join();
        jobs.schedules().pause(server.database, "heartbeat-mail").join();
    }

    private static NewJob<Object> mail(String id, String to) {
        Map<String, Object> data = Map.of(
                "to", to, "template", Map.of("name", "welcome", "version", 3), "tracking", new BigInteger(DIGITS));
        return NewJob.of(MAIL, (Object) data).id(id);
    }

    private void attack() {
        Map<String, Object> data = Map.of("text", ATTACK, ATTACK, 1);
        add(NewJob.of(EVIL, (Object) data).id("ok " + ATTACK).tags(ATTACK));
        add(NewJob.of(EVIL, (Object) Map.of("fail", true, "text", ATTACK)).id("failed " + ATTACK));
        start("worker " + ATTACK, EVIL, 1);
        awaitEnds(EVIL, "ok " + ATTACK, "failed " + ATTACK);
        workers.remove(workers.size() - 1).close();
        jobs.batches().open(server.database, Batch.of(ATTACK)).join();
        add(NewJob.of(EVIL, (Object) data)
                .id("pending " + ATTACK)
                .tags(ATTACK)
                .limitKey(ATTACK)
                .turnKey(ATTACK)
                .sequence(ATTACK)
                .batch(ATTACK));
        add(NewJob.of(EVIL, (Object) data).id("blocked").after(EVIL, "pending " + ATTACK));
        add(NewJob.of(EVIL, (Object) data).id("cancelled " + ATTACK));
        jobs.control()
                .cancel(server.database, EVIL, "cancelled " + ATTACK, ATTACK)
                .join();
        jobs.types().pause(server.database, EVIL, ATTACK).join();
        jobs.limits().pause(server.database, EVIL, ATTACK).join();
        jobs.workers().pause(server.database, "worker " + ATTACK).join();
        jobs.schedules()
                .put(server.database, Schedule.every(ATTACK, Duration.ofHours(1), NewJob.of(EVIL, (Object) data)))
                .join();
        damage();
    }

    /** A row that cannot be read, and that a reader has met. */
    private void damage() {
        JobType<Object, Object> damaged = type("damaged");
        add(NewJob.of(damaged, (Object) 1).id("good"));
        add(NewJob.of(damaged, (Object) 1).id("bad " + ATTACK));
        byte[] key = server.jobRows().pack(Tuple.from("data", damaged.name(), "bad " + ATTACK));
        server.database.run(tx -> {
            tx.set(key, new byte[] {0x7F, 0x13});
            return true;
        });
        start("reader", damaged, 1);
        awaitEnds(damaged, "good");
    }

    /** A schedule that fires each day, next in almost a day. */
    void schedule(NewJob<Object> job, String name) {
        Instant start = Instant.now().plus(Duration.ofHours(24)).minusSeconds(60);
        jobs.schedules()
                .put(server.database, Schedule.every(name, Duration.ofDays(1), job).startingAt(start))
                .join();
    }

    void add(NewJob<Object> job) {
        jobs.add(server.database, job).join();
    }

    JobInfo<Object, Object> job(JobType<Object, Object> type, String id) {
        return find(type, id).orElseThrow();
    }

    Optional<JobInfo<Object, Object>> find(JobType<Object, Object> type, String id) {
        return jobs.getJob(server.database, type, id).join();
    }

    void cancel(JobType<Object, Object> type, String id, String reason) {
        jobs.control().cancel(server.database, type, id, reason).join();
    }

    void awaitEnd(JobType<Object, Object> type, String id) {
        awaitEnds(type, id);
    }

    private void start(String name, JobType<Object, Object> type, int slots) {
        workers.add(jobs.worker()
                .name(name)
                .concurrency(slots)
                .handle(type, this::handle)
                .start());
    }

    private Object handle(JobContext<Object> job) throws InterruptedException {
        Object data = job.data();
        job.log(Map.of("step", "rendered", "bytes", new BigInteger(DIGITS), "text", data.toString()));
        job.progress(1, 3, "connected");
        if (data instanceof Map<?, ?> map) {
            if (map.containsKey("fail")) {
                Object text = map.containsKey("text") ? map.get("text") : "550 no such mailbox: " + map.get("to");
                throw job.attempt() == 1
                        ? new IllegalStateException("timeout after 1500 ms")
                        : new PermanentFailureException(text.toString());
            }
            if (map.containsKey("hold")) {
                job.progress(812, 2400, "sending to readers");
                held.countDown();
                end.await();
            }
        }
        return Map.of("sent", true, "messageId", new BigInteger(DIGITS), "echo", data.toString());
    }

    private void awaitEnds(JobType<Object, Object> type, String... ids) {
        for (String id : ids) {
            CompletableFuture<Object> result = jobs.resultAsync(type, id, LONG);
            result.handle((value, error) -> true).join();
        }
    }

    private void awaitRunning() {
        try {
            held.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        end.countDown();
        workers.forEach(Worker::close);
    }
}
