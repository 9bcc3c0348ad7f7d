package dev.couchjobs.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Dependency;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.faults.TypeRows;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the rows after every step of the engine, past all faults, and says whether they can have come about.
 *
 * <p>Every commit that changes a job's row is seen by itself: two of them on one job conflict, so they never share a
 * batch.
 */
final class Oracle {

    private final Simulation simulation;
    private final Calls calls = new Calls();
    private final Violations violations = new Violations();
    private final RulesLaw rulesLaw = new RulesLaw(violations);
    private final BatchesLaw batchesLaw = new BatchesLaw(violations);
    private final Archive archive = new Archive();
    private final RemovalClockLaw removalClockLaw;
    private final DamageLaw damageLaw;
    private final RemovalsLaw removalsLaw;
    private final RetentionLaw retentionLaw;
    private final GraphLaw graphLaw;
    private final FurtherTypes furtherTypes;
    private final RecurringJobs recurringJobs;
    private final DependenciesLaw dependenciesLaw = new DependenciesLaw(calls, violations);
    private final LogLaw logLaw = new LogLaw(violations);
    private final ResultsLaw resultsLaw = new ResultsLaw(violations);
    private final DeadLettersLaw deadLettersLaw = new DeadLettersLaw(violations);
    private final List<Law> laws;
    private final List<TypeRows.Change> changes = new ArrayList<>();
    private final Set<UUID> locks = new HashSet<>();
    private final Map<String, Long> heardAt = new HashMap<>();
    private final Map<UUID, Long> lostAt = new HashMap<>();
    private final Set<UUID> lostOnTheWay = new HashSet<>();
    private final Set<String> enqueuedWith = new HashSet<>();
    private final Map<String, Integer> enqueuedAsItWas = new HashMap<>();
    private final Map<String, Integer> cancelled = new HashMap<>();
    private final Set<UUID> finishes = new HashSet<>();
    private final Map<String, UUID> fences = new TreeMap<>();
    private final TypeRows.Reader typeRows = new TypeRows.Reader(JobsSimulation.PREFIX, JobsScenario.TYPE_NAME);
    private Map<String, TypeRows.Data> before = Map.of();
    private List<KeyValue> seen = List.of();
    private List<KeyValue> seenLogs = List.of();
    private DerivedRows derivedRows = DerivedRows.EMPTY;
    private long moment;

    Oracle(Simulation simulation, JobsScenario scenario) {
        this.simulation = simulation;
        this.removalClockLaw = new RemovalClockLaw(simulation.clock());
        this.damageLaw = new DamageLaw(simulation.clock(), violations);
        this.removalsLaw = new RemovalsLaw(calls, archive, removalClockLaw, damageLaw, violations);
        this.retentionLaw = new RetentionLaw(scenario, damageLaw, violations);
        this.graphLaw = new GraphLaw(calls, damageLaw, violations);
        this.furtherTypes = new FurtherTypes(simulation, scenario, damageLaw, violations);
        this.recurringJobs = new RecurringJobs(simulation, scenario, violations);
        this.laws = List.of(
                new AttemptsLaw(scenario, calls, violations),
                new PriorityOrderLaw(scenario, violations),
                new FollowUpsLaw(violations),
                new SuspectsLaw(violations),
                batchesLaw,
                rulesLaw,
                new UniqueLaw(violations),
                new SequenceLaw(violations),
                new DeadlineLaw(violations),
                removalsLaw,
                retentionLaw,
                graphLaw,
                dependenciesLaw,
                logLaw,
                resultsLaw,
                deadLettersLaw);
        simulation.onCommit(this::look);
    }

    void adding(String jobId) {
        calls.added.merge(jobId, 1, Integer::sum);
    }

    void addingTogether(List<String> newIds) {
        batchesLaw.adding(newIds);
    }

    void addingDependent(String newId, List<Dependency> dependencies) {
        dependenciesLaw.adding(newId, dependencies);
    }

    /** {@return whether a job waits for another that will not succeed any more} */
    boolean mayWaitForEver(String jobId) {
        return dependenciesLaw.mayWaitForEver(jobId, derivedRows);
    }

    DamageLaw damageLaw() {
        return damageLaw;
    }

    /** {@return whether each damaged row is where it belongs} */
    boolean areDamagesMet() {
        try (Transaction tx = simulation.database().createTransaction()) {
            return damageLaw.yetToBeMet(tx).isEmpty();
        }
    }

    RecurringJobs recurringJobs() {
        return recurringJobs;
    }

    FurtherTypes furtherTypes() {
        return furtherTypes;
    }

    ResultsLaw resultsLaw() {
        return resultsLaw;
    }

    DeadLettersLaw deadLettersLaw() {
        return deadLettersLaw;
    }

    LogLaw logLaw() {
        return logLaw;
    }

    void resubmitting(String jobId) {
        calls.resubmitting.merge(jobId, 1, Integer::sum);
    }

    void cancelling(String jobId) {
        calls.cancelling.merge(jobId, 1, Integer::sum);
    }

    void resubmittingAll() {
        calls.resubmittingAll++;
    }

    void removing(String jobId) {
        calls.removing.merge(jobId, 1, Integer::sum);
    }

    void removed(String jobId, boolean found) {
        if (found) {
            calls.removed.merge(jobId, 1, Integer::sum);
        } else {
            calls.removing.merge(jobId, -1, Integer::sum);
        }
    }

    Archive archive() {
        return archive;
    }

    void claimed(Job<?> job) {
        require(calls.claimed.add(job.lock()), job + " was given out twice");
        require(
                job.headers().isEmpty() || job.headers().equals(Map.of("job", job.id())),
                () -> job + " has headers " + job.headers());
        if (job.data() instanceof String data) {
            wasRead(data);
        }
    }

    /** A client or a processor was given the data of a job. */
    void wasRead(String data) {
        require(Payloads.isWhole(data), () -> "Of " + data.length() + " letters some are missing in " + data);
    }

    void finished(Job<?> job, boolean withEffect) {
        calls.finished.put(job.lock(), withEffect);
    }

    /** {@return tells what was seen before from what is seen after} */
    long moment() {
        return moment;
    }

    /**
     * Somebody succeeded with what only the holder of a job may do, or who finished it last, and began it at that
     * moment.
     */
    void actedAsHolder(Job<?> job, long begun) {
        Long lost = lostAt.get(job.lock());
        require(lost == null || lost > begun, job + " had been lost, and whoever held it succeeded with a verb");
    }

    /** {@return all changes of a job so far} */
    List<TypeRows.Change> changesOf(String jobId) {
        return changes.stream().filter(change -> change.jobId().equals(jobId)).toList();
    }

    /** {@return what the jobs are, as of the last look} */
    Map<String, TypeRows.Data> jobs() {
        return before;
    }

    /** Looks at the jobs and their logs, and at the rest if any of them has changed; not past the first complaint. */
    private void look(Database store) {
        violations.check();
        try (Transaction tx = store.createTransaction()) {
            removalClockLaw.look(tx);
            recurringJobs.look(tx);
            List<KeyValue> main = DerivedRows.main(tx);
            List<KeyValue> logs = DerivedRows.logs(tx);
            boolean areLogsOther = !logs.equals(seenLogs);
            Map<String, LogRows> written = areLogsOther ? DerivedRows.logRowses(logs) : derivedRows.logRowses();
            seenLogs = logs;
            if (!main.equals(seen)) {
                seen = main;
                moment++;
                damageLaw.look(main, derivedRows.jobs());
                look(tx, written);
            } else if (areLogsOther) {
                DerivedRows now = derivedRows.with(written);
                logLaw.check(derivedRows, now, List.of());
                derivedRows = now;
            }
        }
    }

    /** {@return whether no row is left that nobody needs} */
    boolean isAtRest() {
        try (Transaction tx = simulation.database().createTransaction()) {
            return NeededRowsLaw.violations(tx).isEmpty();
        }
    }

    /** Looks for the last time, when nothing is under way any more. */
    void lookAtTheEnd() {
        look(simulation.database());
        calls.finished.forEach((lock, withEffect) -> require(finishes.contains(lock), "no finish of " + lock));
        calls.claimed.forEach(lock -> require(locks.contains(lock), "no claim by " + lock));
        Set<UUID> effects = new HashSet<>();
        try (Transaction tx = simulation.database().createTransaction()) {
            for (KeyValue row :
                    now(tx.getRange(ProcessorEffects.EFFECTS.range()).asList())) {
                UUID lock = ProcessorEffects.EFFECTS.unpack(row.getKey()).getUUID(1);
                require(row.getValue()[0] == 1, lock + " had its effect " + row.getValue()[0] + " times");
                require(finishes.contains(lock), lock + " had its effect without a finish");
                effects.add(lock);
            }
            damageLaw.checkTheEnd(tx);
            requireNone(NeededRowsLaw.violations(tx));
        }
        calls.finished.forEach((lock, withEffect) ->
                require(effects.contains(lock) == withEffect, lock + " finished, effect: " + effects.contains(lock)));
        Set<String> ids = new HashSet<>();
        changes.forEach(change -> ids.add(change.jobId()));
        ids.forEach(this::checkCounts);
    }

    private void checkCounts(String jobId) {
        List<JobState> states =
                changesOf(jobId).stream().map(TypeRows.Change::state).toList();
        int gone = 0;
        int begun = 0;
        JobState last = JobState.NOT_FOUND;
        for (JobState state : states) {
            gone += state == JobState.NOT_FOUND ? 1 : 0;
            begun += last == JobState.NOT_FOUND && state == JobState.PENDING ? 1 : 0;
            last = state;
        }
        require(begun <= calls.added.getOrDefault(jobId, 0), jobId + " began more often than it was added: " + states);
        require(
                gone - removalsLaw.due(jobId) <= calls.removing.getOrDefault(jobId, 0),
                jobId + " went more often than asked for: " + states);
        require(gone >= calls.removed.getOrDefault(jobId, 0), jobId + " went less often than was told: " + states);
    }

    private void look(ReadTransaction tx, Map<String, LogRows> written) {
        TypeRows rows = now(typeRows.read(tx, damageLaw::withoutThem));
        requireNone(rows.contradictions(damageLaw.stillCounted()));
        rulesLaw.look(tx);
        retentionLaw.look(tx);
        graphLaw.look(tx);
        DerivedRows now = DerivedRows.read(tx, seen, written, damageLaw);
        requireNone(now.contradictions(damageLaw.stillCounted()));
        damageLaw.checkQuarantine(tx);
        laws.forEach(law -> law.check(derivedRows, now, rows.feed()));
        Set<String> ids = new HashSet<>(before.keySet());
        ids.addAll(rows.data().keySet());
        ids.forEach(jobId -> follow(jobId, before.get(jobId), rows.data().get(jobId)));
        changes.addAll(rows.feed());
        checkFences(tx, before, rows.data());
        before = rows.data();
        derivedRows = now;
    }

    private void requireNone(List<String> contradictions) {
        require(contradictions.isEmpty(), "contradictions: " + contradictions);
    }

    /** One commit at most lies between the two rows of a job. */
    private void follow(String jobId, TypeRows.@Nullable Data was, TypeRows.@Nullable Data is) {
        UUID last = lastHolder(was);
        if (last != null && !last.equals(lastHolder(is)) && (is == null || !last.equals(is.finishedBy()))) {
            lostAt.put(last, moment);
        }
        if (is == null || is.equals(was)) {
            return;
        }
        Step step = new Step(jobId, was, is);
        JobState from = was == null ? JobState.NOT_FOUND : was.state();
        UUID holder = was == null ? null : was.lock();
        if (is.sequence() != null && (was == null || !is.sequence().equals(was.sequence()))) {
            heardAt.put(jobId, simulation.elapsed().toNanos());
        }
        if (is.lock() != null && !is.lock().equals(holder)) {
            require(from == JobState.PENDING && locks.add(is.lock()), step);
        }
        if (is.finishedBy() != null && (was == null || !is.finishedBy().equals(was.finishedBy()))) {
            require(is.finishedBy().equals(holder) && finishes.add(is.finishedBy()), step);
        }
        switch (is.state()) {
            case PENDING -> checkEnqueued(jobId, was, is, step);
            case RUNNING -> require(from == JobState.PENDING || from == JobState.RUNNING, step);
            case FINISHED -> checkEnded(jobId, was, is, step);
            case NOT_FOUND -> throw new AssertionError(step);
        }
    }

    /** What happened to a job, as it is told if that cannot have been. */
    private record Step(String jobId, TypeRows.@Nullable Data was, TypeRows.Data is) {
        @Override
        public String toString() {
            return jobId + " went from " + was + " to " + is;
        }
    }

    private static @Nullable UUID lastHolder(TypeRows.@Nullable Data job) {
        if (job == null) {
            return null;
        }
        return job.lock() == null ? job.finishedBy() : job.lock();
    }

    private void checkEnqueued(String jobId, TypeRows.@Nullable Data was, TypeRows.Data is, Step step) {
        boolean replaced = was != null && is.json() != null && !is.json().equals(was.json());
        if (was != null && was.lock() != null && !replaced) {
            if (!was.lock().equals(is.finishedBy())) {
                checkPutBack(was.lock(), simulation.elapsed().toNanos() - heardAt.getOrDefault(jobId, 0L), step);
            }
        } else if (was != null && was.state() == JobState.FINISHED && Objects.equals(is.json(), was.json())) {
            int times = is.json() == null ? 0 : enqueuedAsItWas.merge(jobId, 1, Integer::sum);
            require(
                    times <= calls.resubmittingAll + calls.resubmitting.getOrDefault(jobId, 0),
                    "Without resubmit " + step);
        } else if (is.json() != null && (was == null || !is.json().equals(was.json()))) {
            // No two adds of a job have the same data, so each can do this once.
            require(enqueuedWith.add(jobId + " " + is.json()), step);
        }
    }

    /** By its holder, because it was silent or a client wanted that, or because of another that it waited for. */
    private void checkEnded(String jobId, TypeRows.@Nullable Data was, TypeRows.Data is, Step step) {
        if (was != null && was.state() == JobState.FINISHED) {
            // Others may begin to wait for a job that has failed; that is all that can happen to it where it is.
            require(
                    Objects.equals(was.finishedBy(), is.finishedBy())
                            && was.ending().equals(is.ending()),
                    step);
            return;
        }
        UUID holder = was == null ? null : was.lock();
        if (is.finishedBy() == null && is.hasEndedAs("cancelled")) {
            int times = cancelled.merge(jobId, 1, Integer::sum);
            require(times <= calls.cancelling.getOrDefault(jobId, 0), () -> "No client wanted that " + step);
            return;
        }
        if (is.finishedBy() == null && is.hasEndedAs("late")) { // DeadlineLaw says when
            require(was != null && was.state() == JobState.PENDING, step);
            return;
        }
        require(holder != null || was == null || wasBlocked(jobId), step);
        if (holder != null && is.finishedBy() == null) {
            checkPutBack(holder, simulation.elapsed().toNanos() - heardAt.getOrDefault(jobId, 0L), step);
        }
    }

    private boolean wasBlocked(String jobId) {
        MainRow mainRow = derivedRows.jobs().get(jobId);
        return mainRow != null && mainRow.isBlocked();
    }

    /** Either its processor was silent, or a claim that nobody wanted any more was handed back. */
    private void checkPutBack(UUID lock, long silentForNanos, Step step) {
        boolean silent = silentForNanos >= JobsSimulation.TIMEOUT.toNanos();
        if (calls.claimed.contains(lock)) {
            require(silent, "After " + silentForNanos + " ns " + step);
        } else if (silent) {
            lostOnTheWay.add(lock);
        }
    }

    /** {@return the claims that nobody was told of, and that came back only when their leases had run out} */
    Set<UUID> lostOnTheWay() {
        return lostOnTheWay;
    }

    /**
     * Whoever wrote with the fence held the job just then, or finished it by that very commit. A fence alone leaves the
     * job's row as it is, so whoever takes the job away next may share its batch.
     */
    private void checkFences(ReadTransaction tx, Map<String, TypeRows.Data> was, Map<String, TypeRows.Data> is) {
        for (KeyValue row : now(tx.getRange(ProcessorEffects.FENCE.range()).asList())) {
            String jobId = ProcessorEffects.FENCE.unpack(row.getKey()).getString(0);
            UUID writer = ProcessorEffects.holder(row.getValue());
            if (!writer.equals(fences.put(jobId, writer))) {
                require(
                        isHeld(was.get(jobId), writer) || isHeld(is.get(jobId), writer),
                        writer + " wrote for " + jobId + " and does not hold it: " + was.get(jobId) + ", now "
                                + is.get(jobId));
            }
        }
    }

    private static boolean isHeld(TypeRows.@Nullable Data job, UUID writer) {
        return job != null && (writer.equals(job.lock()) || writer.equals(job.finishedBy()));
    }

    /** The engine answers reads at once. */
    private static <T> T now(CompletableFuture<T> read) {
        return Objects.requireNonNull(read.getNow(null), "a read that is not answered at once");
    }

    /** {@return the clock of a process, under observation} */
    InstantSource noting(String process, InstantSource clock) {
        return removalClockLaw.noting(process, removalsLaw.noting(clock));
    }

    /** Fails the simulation, wherever it is found out. */
    void require(boolean held, Object otherwise) {
        violations.require(held, otherwise);
    }

    /** Fails the simulation, wherever it is found out; for what is often asked and takes long to tell. */
    void require(boolean held, Supplier<String> otherwise) {
        violations.require(held, otherwise);
    }

    /** Fails if anything was found out where nobody heard of it. */
    void check() {
        violations.check();
    }
}
