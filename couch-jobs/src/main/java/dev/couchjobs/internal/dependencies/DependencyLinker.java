package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyCycleException;
import dev.couchjobs.DependencyException;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.TooManyDependenciesException;
import dev.couchjobs.internal.data.DependencyState;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTransaction;
import dev.couchjobs.internal.data.Keyspace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Lets jobs wait for others.
 *
 * <p>Each dependency is read, in its turn, in a way that conflicts with its end: so either it has ended and is looked
 * at as it ended, or its end finds the jobs that wait for it. No dependency is looked at before the turns of the
 * dependent that came before are over, so that its links are not mistaken for those that a removal in the same
 * transaction is to take away.
 */
public final class DependencyLinker {
    /** How many jobs one may wait for. */
    public static final int DEPENDENCIES_MAX = 10_000;

    private final Keyspace keyspace;
    private final RandomGenerator random;
    private final DependencyFailures failures;

    public DependencyLinker(Keyspace keyspace, Environment environment) {
        this.keyspace = keyspace;
        this.random = environment.random();
        this.failures = new DependencyFailures(keyspace, environment.clock());
    }

    /**
     * One thing to wait for.
     *
     * @param before what was done to the dependency before in this transaction
     */
    private record Link(JobRef dependent, JobRef dependency, DependencyPolicy policy, CompletableFuture<?> before) {
        boolean isPatient() {
            return Dependents.isPatient(policy);
        }
    }

    /** Refuses what no transaction need look at. */
    public void check(JobRef dependent, List<Dependency> dependencies) {
        if (dependencies.size() > DEPENDENCIES_MAX) {
            throw new TooManyDependenciesException(dependencies.size(), DEPENDENCIES_MAX);
        }
        for (Dependency dependency : dependencies) {
            if (keyspace.job(dependency.typeName(), dependency.jobId()).equals(dependent)) {
                throw new DependencyCycleException(nameOf(dependent), nameOf(dependent));
            }
        }
    }

    /**
     * Makes waiter groups for a job that is about to wait for others; a waiter group that no job enters does no harm.
     */
    public CompletableFuture<Void> prepareGroups(Transaction tx, List<Dependency> dependencies) {
        return CompletableFuture.allOf(dependencies.stream()
                .map(each -> {
                    JobRef dependency = keyspace.job(each.typeName(), each.jobId());
                    boolean patient = Dependents.isPatient(each.policy());
                    return JobTransaction.of(tx).edit(dependency, row -> {
                        row.filter(found -> found.state() != JobState.FINISHED)
                                .ifPresent(found -> groupOf(tx, dependency, found, patient));
                        return CompletableFuture.completedFuture(dependency);
                    });
                })
                .toArray(CompletableFuture<?>[]::new));
    }

    /** The waiter group that a job's row names, made if there is none. */
    private long groupOf(Transaction tx, JobRef dependency, JobRow found, boolean patient) {
        DependencyState dependencyState = found.options().dependencies();
        if (dependencyState.group(patient) != DependencyState.NO_GROUP) {
            return dependencyState.group(patient);
        }
        long group = newGroup();
        JobTransaction.of(tx).save(dependency, found, found.withDependencies(dependencyState.with(patient, group)));
        return group;
    }

    /**
     * Lets a job wait for those that have not ended yet. Takes their turns at once, before that of the job itself is
     * taken in order to write it.
     *
     * @param isLeftAlone whether the job, if it is there already, stays as it is
     * @param allowed fails if the job may not be added
     */
    public CompletableFuture<LinkResult> link(
            Transaction tx,
            JobRef dependent,
            List<Dependency> dependencies,
            Predicate<Optional<JobRow>> isLeftAlone,
            CompletableFuture<?> allowed) {
        if (dependencies.isEmpty()) {
            return CompletableFuture.completedFuture(LinkResult.NONE);
        }
        JobTransaction jobs = JobTransaction.of(tx);
        CompletableFuture<Optional<Boolean>> awaited = jobs.edit(
                dependent,
                () -> ReleaseOutbox.expected(tx, dependent),
                (row, group) -> allowed.thenApply(ok ->
                        isLeftAlone.test(row) ? Optional.empty() : Optional.of(isAwaited(tx, dependent, row, group))));
        Map<JobRef, Link> links = new LinkedHashMap<>();
        for (Dependency each : dependencies) {
            JobRef dependency = keyspace.job(each.typeName(), each.jobId());
            CompletableFuture<?> before = jobs.lastEdit(dependency);
            links.put(dependency, new Link(dependent, dependency, each.policy(), before));
        }
        List<CompletableFuture<LinkResult>> all = new ArrayList<>(links.size());
        links.forEach((dependency, link) -> all.add(jobs.edit(
                dependency,
                () -> expected(tx, link),
                (row, group) -> awaited.thenCompose(cyclic -> cyclic.isEmpty()
                        ? CompletableFuture.completedFuture(LinkResult.NONE)
                        : look(tx, link, row, group, cyclic.get())))));
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> all.stream().map(CompletableFuture::join).reduce(LinkResult.NONE, LinkResult::and))
                .whenComplete((found, error) -> {
                    if (error != null && error.getCause() instanceof DependencyException) {
                        tx.cancel(); // only now: what is still being read would fail with it, and hide the cause
                    }
                });
    }

    /** Whether another job waits for the dependent, so that there may be a cycle. */
    private static boolean isAwaited(Transaction tx, JobRef dependent, Optional<JobRow> row, long group) {
        if (row.filter(job -> job.state() == JobState.RUNNING).isPresent()) {
            throw new DependencyException("Job " + nameOf(dependent) + " is running and cannot begin to wait for"
                    + " others. Add it without dependencies to run it once more, or when it has finished.");
        }
        if (row.isPresent()) {
            return row.get().options().dependencies().hasDependents();
        }
        ReleaseOutbox.addReadConflict(tx, dependent);
        return group != DependencyState.NO_GROUP;
    }

    /** The waiter group of those who wait already for a dependency that is not there; only the patient may be in it. */
    private static CompletableFuture<Long> expected(Transaction tx, Link link) {
        return link.policy() == DependencyPolicy.EXPECT
                ? ReleaseOutbox.expected(tx, link.dependency())
                : CompletableFuture.completedFuture(DependencyState.NO_GROUP);
    }

    private CompletableFuture<LinkResult> look(
            Transaction tx, Link link, Optional<JobRow> row, long expected, boolean maybeCyclic) {
        if (row.isEmpty()) {
            return lookForMissing(tx, link, expected);
        }
        JobRow found = row.get();
        if (found.state() == JobState.FINISHED && !(link.isPatient() && found.outcome() != Outcome.SUCCEEDED)) {
            return CompletableFuture.completedFuture(ended(link, found.outcome()));
        }
        return maybeCyclic && found.isBlocked()
                ? refuseCycle(tx, link).thenApply(none -> enter(tx, link, found))
                : CompletableFuture.completedFuture(enter(tx, link, found));
    }

    private static LinkResult ended(Link link, Outcome outcome) {
        return outcome == Outcome.SUCCEEDED || link.policy() == DependencyPolicy.IGNORE
                ? LinkResult.NONE
                : LinkResult.failed(new ReleaseNotice(
                        link.dependency(), DependencyState.NO_GROUP, ReleaseNotice.Cause.of(outcome)));
    }

    private LinkResult enter(Transaction tx, Link link, JobRow found) {
        long group = groupOf(tx, link.dependency(), found, link.isPatient());
        Dependents.link(tx, link.dependent(), link.dependency(), group, link.policy());
        return LinkResult.ONE;
    }

    private CompletableFuture<LinkResult> lookForMissing(Transaction tx, Link link, long expected) {
        return switch (link.policy()) {
            case WAIT, FAIL -> refuseMissing(link);
            case IGNORE -> CompletableFuture.completedFuture(LinkResult.NONE);
            case EXPECT -> CompletableFuture.completedFuture(enterBefore(tx, link, expected));
        };
    }

    /** Only the first notes the waiter group, so that many may begin to wait for the same job without a conflict. */
    private LinkResult enterBefore(Transaction tx, Link link, long expected) {
        ReleaseOutbox.addReadConflict(tx, link.dependency());
        long group = expected;
        if (group == DependencyState.NO_GROUP) {
            group = newGroup();
            ReleaseOutbox.expect(tx, link.dependency(), group);
        }
        Dependents.link(tx, link.dependent(), link.dependency(), group, link.policy());
        return LinkResult.ONE;
    }

    /** If the dependency is not there because adding it failed, that is what is wrong, and may only want a retry. */
    private static CompletableFuture<LinkResult> refuseMissing(Link link) {
        return link.before().thenApply(done -> {
            throw new DependencyNotFoundException(nameOf(link.dependent()), nameOf(link.dependency()));
        });
    }

    /** Finds cycles of two. A longer one is not worth a walk through the graph in every add: its jobs just wait. */
    private static CompletableFuture<LinkResult> refuseCycle(Transaction tx, Link link) {
        return Dependents.isLinked(tx, link.dependency(), link.dependent()).thenApply(cyclic -> {
            if (cyclic) {
                throw new DependencyCycleException(nameOf(link.dependent()), nameOf(link.dependency()));
            }
            return LinkResult.NONE;
        });
    }

    /**
     * A pending job as its links have it: waiting, or failed.
     *
     * @param keptIfFailed for how many seconds it is kept if it fails because of another;
     *     {@link DependencyState#FOR_EVER}
     * @param archived whether it is then removed only once an archive has taken it
     */
    public CompletableFuture<JobRow> linked(
            Transaction tx, JobRef ref, JobRow pending, LinkResult linkResult, long keptIfFailed, boolean archived) {
        JobRow waiting = pending.on(pending.options()
                .blockedBy(true)
                .withDependencies(pending.options().dependencies().keptIfFailed(keptIfFailed, archived)));
        return linkResult.failure() == null
                ? CompletableFuture.completedFuture(waiting)
                : failures.of(tx, ref, waiting, linkResult.failure());
    }

    private long newGroup() {
        long group = random.nextLong();
        return group == DependencyState.NO_GROUP ? 1 : group;
    }

    private static String nameOf(JobRef ref) {
        return ref.keys().typeName() + "/" + ref.id();
    }
}
