package dev.couchjobs.simulation;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.DeadLetter;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobState;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobSummary;
import dev.couchjobs.NewJob;
import dev.couchjobs.NotIndexedException;
import dev.couchjobs.Outcome;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Retention;
import dev.couchjobs.Unique;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** Adds jobs, removes some and looks at others; now and then it changes the type's timeout or retention. */
final class Client {
    private static final Duration SHORT_REST = Duration.ofMillis(1_500);
    private static final Duration LONG_REST = Duration.ofMinutes(1);
    private static final PageRequest ALL = PageRequest.of(1_000);

    private final SimulatedNode node;
    private final RandomGenerator random;
    private final Oracle oracle;
    private final Duration rest;
    private String lastAdded = "";
    private boolean stopped;

    private Client(SimulatedNode node, Oracle oracle, Duration rest) {
        this.node = node;
        this.random = node.random();
        this.oracle = oracle;
        this.rest = rest;
    }

    /** {@return one that always has something to do} */
    static Client busy(SimulatedNode node, Oracle oracle) {
        return new Client(node, oracle, SHORT_REST);
    }

    /** {@return one that does something now and then} */
    static Client idle(SimulatedNode node, Oracle oracle) {
        return new Client(node, oracle, LONG_REST);
    }

    /** It begins nothing new. */
    void stop() {
        stopped = true;
    }

    void start() {
        node.repeat("client", () -> !stopped, this::turn);
    }

    private CompletableFuture<?> turn() {
        String jobId = JobsSimulation.jobId(random);
        return node.sleepUpTo(rest).thenCompose(rested -> switch (random.nextInt(39)) {
            case 16, 17, 18, 19 -> addElsewhere(jobId);
            case 0 -> remove(jobId);
            case 1 -> replace(jobId);
            case 2, 3 -> addTogether(jobId, JobsSimulation.jobId(random));
            case 4, 5 -> look(jobId);
            case 6 -> changeTimeout();
            case 7, 8, 9 -> addWithTerms(jobId);
            case 10 -> addAll();
            case 11 -> sendAgain(jobId);
            case 12, 13 -> addDependent(jobId);
            case 14 -> sendAllAgain();
            case 15 -> count();
            case 24, 25 -> cancel(lastAdded.isEmpty() || random.nextBoolean() ? jobId : lastAdded);
            case 26 -> change(jobId);
            case 27 -> pause();
            case 28 -> limit();
            case 29, 30 -> addUnique();
            case 31 -> addInTurn(random.nextBoolean() ? jobId : node.jobs().newJobId());
            case 32 -> node.isDamaged() ? add(jobId) : addInSequence(node.jobs().newJobId());
            case 36 -> index();
            case 37 -> changeRetention();
            case 33, 34, 35 ->
                oracle.recurringJobs().isUsed() ? oracle.recurringJobs().change(node) : add(jobId);
            default -> add(jobId);
        });
    }

    private CompletableFuture<Void> addElsewhere(String jobId) {
        return oracle.furtherTypes().isEmpty()
                ? add(jobId)
                : oracle.furtherTypes().add(node);
    }

    private CompletableFuture<Void> add(String jobId) {
        oracle.adding(jobId);
        CompletableFuture<AddResult> added = random.nextInt(3) > 0
                ? node.jobs().add(node.database(), node.type(), jobId, node.payload())
                : node.jobs()
                        .add(
                                node.database(),
                                NewJob.of(node.type(), node.payload()).id(jobId).at(node.soon()));
        return added.thenRun(() -> node.log("added " + jobId));
    }

    /** In a transaction of its own, which when it is retried may well act again. */
    private CompletableFuture<Void> addTogether(String one, String other) {
        return node.database()
                .runAsync(tx -> {
                    String data = node.payload();
                    oracle.adding(one);
                    oracle.adding(other);
                    CompletableFuture<AddResult> first = node.jobs().add(tx, node.type(), one, data);
                    return first.thenCombine(node.jobs().add(tx, node.type(), other, data), (a, b) -> data);
                })
                .thenRun(() -> node.log("added " + one + " and " + other));
    }

    private CompletableFuture<Void> addWithTerms(String jobId) {
        oracle.adding(jobId);
        return node.jobs()
                .add(node.database(), newJob(jobId))
                .thenAccept(added -> node.log("added with terms " + added));
    }

    /** Jobs that nobody else knows of, and one that everybody does. */
    private CompletableFuture<Void> addAll() {
        List<NewJob<String>> jobs = new ArrayList<>();
        for (int left = 2 + random.nextInt(2); left > 0; left--) {
            jobs.add(newJob(node.jobs().newJobId()));
        }
        List<String> fresh = idsOf(jobs);
        if (random.nextBoolean()) {
            waitFor(jobs, fresh);
        }
        jobs.add(newJob(JobsSimulation.jobId(random)));
        idsOf(jobs).forEach(oracle::adding);
        oracle.addingTogether(fresh);
        return node.jobs().addAll(node.database(), jobs).thenAccept(added -> node.log("added together " + added));
    }

    /** All of them wait for the first, and the last for all. */
    private void waitFor(List<NewJob<String>> jobs, List<String> ids) {
        for (int i = 1; i < jobs.size(); i++) {
            List<String> others = i + 1 < jobs.size() ? ids.subList(0, 1) : ids.subList(0, i);
            jobs.set(i, waiting(jobs.get(i), ids.get(i), others));
        }
        lastAdded = ids.get(ids.size() - 1);
    }

    private NewJob<String> waiting(NewJob<String> job, String jobId, List<String> others) {
        List<Dependency> dependencies = others.stream()
                .map(other -> Dependency.on(node.type(), other).ifUnsuccessful(policy()))
                .toList();
        oracle.addingDependent(jobId, dependencies);
        return job.after(dependencies);
    }

    private DependencyPolicy policy() {
        return switch (random.nextInt(5)) {
            case 0 -> DependencyPolicy.WAIT;
            case 1 -> DependencyPolicy.IGNORE;
            case 2 -> DependencyPolicy.EXPECT;
            default -> DependencyPolicy.FAIL;
        };
    }

    /** A new job, which waits for some that others know and for the last one added. */
    private CompletableFuture<Void> addDependent(String jobId) {
        String fresh = node.jobs().newJobId();
        Set<String> others = new LinkedHashSet<>(List.of(jobId));
        if (random.nextBoolean()) {
            others.add(JobsSimulation.otherJobId(jobId, random));
        }
        if (random.nextBoolean() && !lastAdded.isEmpty()) {
            others.add(lastAdded);
        }
        oracle.adding(fresh);
        NewJob<String> job = waiting(newJob(fresh), fresh, List.copyOf(others));
        lastAdded = fresh;
        return node.jobs()
                .add(node.database(), job)
                .thenAccept(added -> node.log("added " + added + " after " + job.dependencies()));
    }

    private static List<String> idsOf(List<NewJob<String>> jobs) {
        return jobs.stream().map(job -> job.id().orElseThrow()).toList();
    }

    private NewJob<String> newJob(String jobId) {
        NewJob<String> job = newJobWithoutHeaders(jobId);
        return job.tags().isEmpty() ? job : job.header("job", jobId);
    }

    private NewJob<String> newJobWithoutHeaders(String jobId) {
        NewJob<String> named = NewJob.of(node.type(), node.payload()).id(jobId).priority(random.nextInt(-1, 3));
        NewJob<String> tagged = random.nextInt(8) == 0 ? named.tags("tag-" + random.nextInt(3), "tagged") : named;
        NewJob<String> job = random.nextInt(8) == 0 ? tagged.startBefore(node.soon()) : tagged;
        return random.nextInt(3) == 0 ? job.retry(JobsScenario.retries(1 + random.nextInt(3))) : job;
    }

    private CompletableFuture<Void> sendAgain(String jobId) {
        oracle.resubmitting(jobId);
        return node.jobs()
                .deadLetters()
                .retry(node.database(), node.type(), jobId)
                .thenAccept(sent -> {
                    node.log((sent ? "sent again " : "not a dead letter: ") + jobId);
                    oracle.deadLettersLaw().wereSent(sent ? 1 : 0);
                });
    }

    private CompletableFuture<Void> sendAllAgain() {
        oracle.resubmittingAll();
        return node.jobs().deadLetters().retryAll(node.type()).thenAccept(sent -> {
            node.log("sent " + sent + " dead letters again");
            oracle.deadLettersLaw().wereSent(sent);
        });
    }

    /** In all ways that there are, as of one moment. */
    private CompletableFuture<Void> count() {
        return node.database().readAsync(tx -> {
            CompletableFuture<JobCounts> counts = node.jobs().counts(tx, node.type());
            CompletableFuture<Page<JobSummary>> all = node.jobs().list(tx, node.type(), ALL);
            CompletableFuture<Page<JobSummary>> queued = node.jobs().list(tx, node.type(), JobState.PENDING, ALL);
            CompletableFuture<Page<DeadLetter>> dead = node.jobs().deadLetters().list(tx, node.type(), ALL);
            CompletableFuture<Page<JobSummary>> tagged = node.jobs().listTagged(tx, node.type(), "tagged", ALL);
            CompletableFuture<List<JobLine>> failed = failed(tx);
            return CompletableFuture.allOf(counts, all, queued, dead, tagged, failed)
                    .thenRun(() -> {
                        JobCounts told = counts.join();
                        Map<JobState, Long> states = all.join().items().stream()
                                .collect(Collectors.groupingBy(JobSummary::state, Collectors.counting()));
                        boolean agree = isCounted(queued.join().items().size(), told.pending())
                                && isCounted(dead.join().items().size(), told.failed())
                                && isCounted(states.getOrDefault(JobState.PENDING, 0L), told.pending() + told.blocked())
                                && isCounted(states.getOrDefault(JobState.RUNNING, 0L), told.running())
                                && isCounted(all.join().items().size(), told.total());
                        oracle.require(
                                agree, () -> told + ", and there are " + all.join() + queued.join() + dead.join());
                        Set<String> ids = all.join().items().stream()
                                .map(JobSummary::jobId)
                                .collect(Collectors.toSet());
                        Set<String> deadIds = dead.join().items().stream()
                                .map(DeadLetter::jobId)
                                .collect(Collectors.toSet());
                        oracle.require(
                                tagged.join().items().stream().allMatch(job -> ids.contains(job.jobId())),
                                () -> "With a tag are " + tagged.join() + ", of " + ids);
                        oracle.require(
                                failed.join().stream()
                                        .allMatch(job -> deadIds.contains(job.jobId())
                                                || oracle.damageLaw().isDamaged(job.jobId())),
                                () -> "Failed are " + failed.join() + ", and dead letters " + deadIds);
                    });
        });
    }

    /** {@return the jobs that have failed by the status index, if there is one} */
    private CompletableFuture<List<JobLine>> failed(ReadTransaction tx) {
        return node.jobs()
                .statuses()
                .list(tx, node.type(), JobStatus.FAILED, ALL)
                .thenApply(Page::items)
                .exceptionallyCompose(error -> error.getCause() instanceof NotIndexedException
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(error));
    }

    /** The counters do not know of damaged jobs that they are gone. */
    private boolean isCounted(long there, long counted) {
        return there <= counted && counted <= there + oracle.damageLaw().count();
    }

    private CompletableFuture<Void> remove(String jobId) {
        oracle.removing(jobId);
        return node.jobs().remove(node.database(), node.type(), jobId).thenAccept(found -> {
            node.log((found ? "removed " : "did not find ") + jobId);
            oracle.removed(jobId, found);
        });
    }

    private CompletableFuture<Void> cancel(String jobId) {
        oracle.cancelling(jobId);
        return node.jobs()
                .control()
                .cancel(node.database(), node.type(), jobId, "no longer wanted")
                .thenAccept(done -> node.log((done ? "cancelled " : "could not cancel ") + jobId));
    }

    /** Changes when a job runs. */
    private CompletableFuture<Void> change(String jobId) {
        CompletableFuture<Boolean> changed = switch (random.nextInt(3)) {
            case 0 -> node.jobs().control().runNow(node.database(), node.type(), jobId);
            case 1 -> node.jobs().control().reschedule(node.database(), node.type(), jobId, node.soon());
            default -> node.jobs().control().reprioritise(node.database(), node.type(), jobId, random.nextInt(-1, 3));
        };
        return changed.thenAccept(done -> node.log((done ? "changed " : "did not change ") + jobId));
    }

    private CompletableFuture<Void> pause() {
        return node.jobs()
                .types()
                .pause(node.database(), node.type(), "for a while")
                .thenRun(() -> node.log("paused the type"))
                .thenCompose(paused -> node.sleepUpTo(SHORT_REST))
                .thenCompose(rested -> node.jobs().types().resume(node.database(), node.type()))
                .thenRun(() -> node.log("resumed the type"));
    }

    private CompletableFuture<Void> index() {
        return random.nextInt(3) == 0
                ? node.jobs()
                        .statuses()
                        .drop(node.database(), node.type())
                        .thenRun(() -> node.log("dropped the status index"))
                : node.jobs().statuses().index(node.type()).thenRun(() -> node.log("indexed the type by status"));
    }

    private CompletableFuture<Void> limit() {
        int max = random.nextInt(4);
        CompletableFuture<Void> limited = max == 0
                ? node.jobs().limits().clearTotal(node.database(), node.type())
                : node.jobs().limits().setTotal(node.database(), node.type(), max);
        return limited.thenRun(() -> node.log("limited the type to " + max));
    }

    /** A job that may be a duplicate, without headers: a duplicate that replaces gives its own to the other job. */
    private CompletableFuture<Void> addUnique() {
        Unique rule = Unique.by("key-" + random.nextInt(2));
        NewJob<String> job = newJobWithoutHeaders(node.jobs().newJobId())
                .unique(
                        switch (random.nextInt(4)) {
                            case 0 -> rule.replacing();
                            case 1 -> rule.whileKept();
                            case 2 -> rule.within(SHORT_REST).replacing();
                            default -> rule;
                        });
        job.id().ifPresent(oracle::adding);
        return node.jobs().add(node.database(), job).thenAccept(added -> {
            oracle.adding(added.jobId());
            node.log("added unless it is a duplicate: " + added);
        });
    }

    private CompletableFuture<Void> addInTurn(String jobId) {
        return addWithKey(newJob(jobId).turnKey("key-" + random.nextInt(3)));
    }

    /** A failed job would hold back the others for ever, and a damaged one until another is added. */
    private CompletableFuture<Void> addInSequence(String jobId) {
        NewJob<String> job = newJob(jobId).sequencePassingFailure("sequence-" + random.nextInt(2));
        return addWithKey(random.nextInt(3) == 0 ? job.turnKey("key-" + random.nextInt(3)) : job);
    }

    private CompletableFuture<Void> addWithKey(NewJob<String> job) {
        job.id().ifPresent(oracle::adding);
        NewJob<String> timed = random.nextInt(3) == 0 ? job.at(node.soon()) : job;
        return node.jobs().add(node.database(), timed).thenAccept(added -> node.log("added with a key " + added));
    }

    /** Makes another job of it, whatever becomes of whoever runs it. */
    private CompletableFuture<Void> replace(String jobId) {
        return node.database()
                .runAsync(tx -> {
                    oracle.removing(jobId);
                    oracle.adding(jobId);
                    return node.jobs()
                            .remove(tx, node.type(), jobId)
                            .thenCompose(found -> node.jobs()
                                    .add(tx, node.type(), jobId, Payloads.unique(random))
                                    .thenApply(added -> found));
                })
                .thenAccept(found -> node.log((found ? "replaced " : "added in place of nothing ") + jobId));
    }

    /** All that can be asked, as of one moment. */
    private CompletableFuture<Void> look(String jobId) {
        return node.database().readAsync(tx -> {
            CompletableFuture<JobState> state = node.jobs().getJobState(tx, node.type(), jobId);
            CompletableFuture<Optional<String>> data = node.jobs().getJobData(tx, node.type(), jobId);
            CompletableFuture<Page<JobSummary>> all = node.jobs().list(tx, node.type(), ALL);
            CompletableFuture<Optional<Duration>> timeout = node.jobs().types().getTypeTimeout(tx, node.type());
            CompletableFuture<List<String>> types = node.jobs().types().getTypes(tx);
            return CompletableFuture.allOf(state, data, all, timeout, types).thenRun(() -> {
                JobState listed = all.join().items().stream()
                        .filter(line -> line.jobId().equals(jobId))
                        .findFirst()
                        .map(JobSummary::state)
                        .orElse(JobState.NOT_FOUND);
                data.join().ifPresent(oracle::wasRead);
                boolean agree = listed == state.join()
                        && data.join().isPresent() == (listed != JobState.NOT_FOUND)
                        && types.join().contains(node.type().name())
                                == timeout.join().isPresent();
                oracle.require(
                        agree,
                        jobId + " is " + state.join() + " with data: "
                                + data.join().isPresent() + ", of " + all.join());
            });
        });
    }

    /** Jobs that have failed, and archives, stay as the scenario needs them. */
    private CompletableFuture<Void> changeRetention() {
        if (random.nextInt(3) == 0) {
            return node.jobs().types().clearTypeRetention(node.database(), node.type());
        }
        Retention ofCode = node.type().retention();
        Retention ended = Retention.of(Duration.ofSeconds(1 + random.nextInt(4)));
        Retention both = ofCode.after(Outcome.FAILED).map(ended::failed).orElseGet(ended::failedForever);
        Retention archived = ofCode.isArchived() ? both.archived() : both;
        Retention stored = ofCode.isByGraph() ? archived.byGraph() : archived;
        return node.jobs()
                .types()
                .setTypeRetention(node.database(), node.type(), stored)
                .thenRun(() -> node.log("stored " + stored));
    }

    private CompletableFuture<Void> changeTimeout() {
        return random.nextInt(4) == 0
                ? node.jobs().types().clearTypeTimeout(node.database(), node.type())
                : node.jobs().types().setTypeTimeout(node.database(), node.type(), JobsSimulation.timeout(random));
    }
}
