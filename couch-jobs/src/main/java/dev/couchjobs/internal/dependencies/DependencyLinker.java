package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyCycleException;
import dev.couchjobs.DependencyException;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.TooManyDependenciesException;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.job.WaitCondition;
import dev.couchjobs.internal.retention.TypeRetention;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Links jobs to their dependencies.
 *
 * <p>Each dependency is read by an edit, with a conflict on its end. So either the linker reads the end, or the
 * transaction that ends the dependency reads the link. Edits of the dependent that were queued earlier in this
 * transaction run first; otherwise a removal would delete links added here.
 */
public final class DependencyLinker {
    /** The maximum number of dependencies of a job. */
    public static final int DEPENDENCIES_MAX = 10_000;

    private final Keyspace keyspace;
    private final RandomGenerator random;
    private final DependencyFailures failures;

    public DependencyLinker(Keyspace keyspace, InstantSource clock, RandomGenerator random) {
        this.keyspace = keyspace;
        this.random = random;
        this.failures = new DependencyFailures(keyspace, clock);
    }

    /**
     * A dependency of a job that is being added.
     *
     * @param before the previous edit of the dependency in this transaction
     */
    private record Link(JobRef dependent, JobRef dependency, DependencyPolicy policy, CompletableFuture<?> before) {
        WaitCondition waitCondition() {
            return WaitCondition.of(policy);
        }
    }

    /** Refuses dependencies that are invalid without reading the database. */
    public void check(JobRef dependent, List<Dependency> dependencies) {
        if (dependencies.size() > DEPENDENCIES_MAX) {
            throw new TooManyDependenciesException(dependencies.size(), DEPENDENCIES_MAX);
        }
        refuseItself(dependent, dependencies);
    }

    private void refuseItself(JobRef dependent, List<Dependency> dependencies) {
        for (Dependency dependency : dependencies) {
            if (keyspace.job(dependency.typeName(), dependency.jobId()).equals(dependent)) {
                throw new DependencyCycleException(nameOf(dependent), nameOf(dependent));
            }
        }
    }

    /**
     * Creates the waiter groups to which {@link #link} will add a job. A group that stays empty does no harm.
     */
    public CompletableFuture<Void> prepareGroups(Transaction tx, List<Dependency> dependencies) {
        return CompletableFuture.allOf(dependencies.stream()
                .map(each -> {
                    JobRef dependency = keyspace.job(each.typeName(), each.jobId());
                    WaitCondition waitCondition = WaitCondition.of(each.policy());
                    return JobStore.of(tx).edit(dependency, row -> {
                        row.filter(job -> job.state() != JobState.FINISHED)
                                .ifPresent(job -> save(
                                        tx,
                                        dependency,
                                        job,
                                        withGroup(job.options().dependencies(), waitCondition)));
                        return CompletableFuture.completedFuture(dependency);
                    });
                })
                .toArray(CompletableFuture<?>[]::new));
    }

    /** {@return a dependency state with a waiter group, created if there is none} */
    private DependencyState withGroup(DependencyState dependencyState, WaitCondition waitCondition) {
        return dependencyState.group(waitCondition) == DependencyState.NO_GROUP
                ? dependencyState.withGroup(waitCondition, newGroup())
                : dependencyState;
    }

    private static void save(Transaction tx, JobRef dependency, JobRow row, DependencyState dependencyState) {
        if (!dependencyState.equals(row.options().dependencies())) {
            JobStore.of(tx).save(dependency, row, row.withDependencies(dependencyState));
        }
    }

    /**
     * Links a job to the dependencies that have not ended. Queues the edits of the dependencies immediately, before the
     * caller queues the edit that writes the job.
     *
     * @param retention the retention of the job's type, unless the type has a stored one
     * @param isUnchanged whether an existing job stays as it is
     * @param allowed fails if the job may not be added
     */
    public CompletableFuture<LinkResult> link(
            JobStore jobs,
            JobRef dependent,
            List<Dependency> dependencies,
            Retention retention,
            Predicate<Optional<JobRow>> isUnchanged,
            CompletableFuture<?> allowed) {
        if (dependencies.isEmpty()) {
            return CompletableFuture.completedFuture(LinkResult.NONE);
        }
        Transaction tx = jobs.tx();
        CompletableFuture<Optional<Boolean>> awaited = jobs.edit(
                dependent,
                () -> ReleaseOutbox.expected(tx, dependent),
                (row, expected) -> allowed.thenApply(ok -> {
                    if (isUnchanged.test(row)) {
                        return Optional.empty();
                    }
                    refuseItself(dependent, dependencies); // a duplicate may wait for the job that it changes
                    return Optional.of(isAwaited(tx, dependent, row, expected));
                }));
        CompletableFuture<Long> newGraph = newGraph(tx, dependent, retention);
        Map<JobRef, Link> links = new LinkedHashMap<>();
        for (Dependency each : dependencies) {
            JobRef dependency = keyspace.job(each.typeName(), each.jobId());
            CompletableFuture<?> before = jobs.lastEdit(dependency);
            links.put(dependency, new Link(dependent, dependency, each.policy(), before));
        }
        List<CompletableFuture<LinkResult>> results = new ArrayList<>(links.size());
        links.forEach((dependency, link) -> results.add(jobs.edit(
                dependency,
                () -> expected(jobs, link),
                (row, expected) -> awaited.thenCompose(cyclic -> cyclic.isEmpty()
                        ? CompletableFuture.completedFuture(LinkResult.NONE)
                        : newGraph.thenCompose(
                                graph -> linkToDependency(jobs, link, row, expected, cyclic.get(), graph))))));
        return Futures.listOf(results).thenApply(LinkResult::ofAll);
    }

    /** {@return the graph for dependencies that are in none, if the type of the dependent keeps its jobs by graph} */
    private CompletableFuture<Long> newGraph(Transaction tx, JobRef dependent, Retention retention) {
        return TypeRetention.whileEnding(tx, dependent.keys())
                .thenCompose(stored -> stored.orElse(retention).isByGraph()
                        ? new LayoutRow(keyspace)
                                .raise(tx, layout -> layout.with(Feature.GRAPHS))
                                .thenApply(raised -> newGroup())
                        : CompletableFuture.completedFuture(DependencyState.NO_GRAPH));
    }

    /** Whether the dependent has dependents itself, so that there may be a cycle. */
    private static boolean isAwaited(Transaction tx, JobRef dependent, Optional<JobRow> row, ExpectedJob expected) {
        if (row.filter(job -> job.state() == JobState.RUNNING).isPresent()) {
            throw new DependencyException("Job " + nameOf(dependent) + " is running and cannot begin to wait for"
                    + " others. Add it without dependencies to run it once more, or when it has finished.");
        }
        if (row.isPresent()) {
            return row.get().options().dependencies().hasDependents();
        }
        ReleaseOutbox.addReadConflict(tx, dependent);
        return expected.group() != DependencyState.NO_GROUP;
    }

    /**
     * The waiter group and the graph for a dependency that does not exist; only dependents with EXPECT use them.
     *
     * @param since how often this transaction had changed the stored row before it was read
     */
    private record Expected(ExpectedJob job, JobStore.KeyChanges since) {
        static final Expected NOT_READ = new Expected(ExpectedJob.NONE, JobStore.KeyChanges.NONE);
    }

    private static CompletableFuture<Expected> expected(JobStore jobs, Link link) {
        if (link.policy() != DependencyPolicy.EXPECT) {
            return CompletableFuture.completedFuture(Expected.NOT_READ);
        }
        JobRef dependency = link.dependency();
        JobStore.KeyChanges since =
                jobs.changesOf(List.of(DependencyKeys.of(dependency.keys()).expected(dependency.id())));
        return ReleaseOutbox.expected(jobs.tx(), dependency).thenApply(job -> new Expected(job, since));
    }

    private CompletableFuture<LinkResult> linkToDependency(
            JobStore jobs, Link link, Optional<JobRow> row, Expected expected, boolean maybeCyclic, long newGraph) {
        if (row.isEmpty()) {
            return linkMissing(jobs, link, expected, newGraph);
        }
        Transaction tx = jobs.tx();
        JobRow dependency = row.get();
        boolean hasEnded = dependency.state() == JobState.FINISHED
                && (link.waitCondition() == WaitCondition.END || dependency.outcome() == Outcome.SUCCEEDED);
        DependencyState inGraph = dependency.options().dependencies().inGraph(newGraph);
        long graph = newGraph == DependencyState.NO_GRAPH ? DependencyState.NO_GRAPH : inGraph.graph();
        if (hasEnded) {
            save(tx, link.dependency(), dependency, inGraph);
            return CompletableFuture.completedFuture(
                    ended(link, dependency.outcome()).in(graph));
        }
        DependencyState awaited = withGroup(inGraph, link.waitCondition());
        return maybeCyclic && Standing.of(dependency).waitsForDependencies()
                ? refuseCycle(tx, link).thenApply(none -> await(tx, link, dependency, awaited, graph))
                : CompletableFuture.completedFuture(await(tx, link, dependency, awaited, graph));
    }

    private static LinkResult ended(Link link, Outcome outcome) {
        return outcome == Outcome.SUCCEEDED || link.policy() == DependencyPolicy.IGNORE
                ? LinkResult.NONE
                : LinkResult.failed(new ReleaseNotice(
                        link.dependency(), DependencyState.NO_GROUP, ReleaseNotice.Cause.of(outcome)));
    }

    private static LinkResult await(Transaction tx, Link link, JobRow dependency, DependencyState awaited, long graph) {
        save(tx, link.dependency(), dependency, awaited);
        Dependents.link(tx, link.dependent(), link.dependency(), awaited.group(link.waitCondition()), link.policy());
        return LinkResult.WAITS.in(graph);
    }

    private CompletableFuture<LinkResult> linkMissing(JobStore jobs, Link link, Expected expected, long newGraph) {
        return switch (link.policy()) {
            case WAIT, FAIL -> refuseMissing(link);
            case IGNORE -> CompletableFuture.completedFuture(LinkResult.NONE);
            case EXPECT -> addToExpectedGroup(jobs, link, expected, newGraph);
        };
    }

    /**
     * Only the first dependent stores the waiter group, so that dependents of the same job do not conflict. If the last
     * one is leaving the group at the same time in this transaction, it may remove the stored group.
     */
    private CompletableFuture<LinkResult> addToExpectedGroup(
            JobStore jobs, Link link, Expected expected, long newGraph) {
        ReleaseOutbox.addReadConflict(jobs.tx(), link.dependency());
        ExpectedJob stored = expected.job();
        ExpectedJob awaited = new ExpectedJob(
                stored.group() == DependencyState.NO_GROUP ? newGroup() : stored.group(),
                stored.graph() == DependencyState.NO_GRAPH ? newGraph : stored.graph());
        boolean isAdded = jobs.changeIfUnchanged(expected.since(), () -> {
            if (!awaited.equals(stored)) {
                ReleaseOutbox.expect(jobs.tx(), link.dependency(), awaited);
            }
            Dependents.link(jobs.tx(), link.dependent(), link.dependency(), awaited.group(), link.policy());
        });
        long graph = newGraph == DependencyState.NO_GRAPH ? DependencyState.NO_GRAPH : awaited.graph();
        return isAdded
                ? CompletableFuture.completedFuture(LinkResult.WAITS.in(graph))
                : expected(jobs, link).thenCompose(again -> addToExpectedGroup(jobs, link, again, newGraph));
    }

    /** If adding the dependency failed in this transaction, that error is reported: a retry may be sufficient. */
    private static CompletableFuture<LinkResult> refuseMissing(Link link) {
        return link.before().thenApply(done -> {
            throw new DependencyNotFoundException(nameOf(link.dependent()), nameOf(link.dependency()));
        });
    }

    /** Finds cycles of two jobs. Longer cycles are not searched for: that would read the graph in every add. */
    private static CompletableFuture<LinkResult> refuseCycle(Transaction tx, Link link) {
        return Dependents.isLinked(tx, link.dependency(), link.dependent()).thenApply(cyclic -> {
            if (cyclic) {
                throw new DependencyCycleException(nameOf(link.dependent()), nameOf(link.dependency()));
            }
            return LinkResult.NONE;
        });
    }

    /** {@return the row of a job in the graph of its dependencies; several graphs are united} */
    public JobRow inGraphs(Transaction tx, JobRef ref, JobRow row, LinkResult linkResult) {
        JobRow member = row;
        for (long graph : linkResult.graphs()) {
            DependencyState before = member.options().dependencies();
            DependencyState after = before.inGraph(graph);
            member = after.equals(before) ? member : member.withDependencies(after);
            if (after.graph() != graph) {
                GraphNotes.unite(tx, ref, after.graph(), graph);
            }
        }
        return member;
    }

    /**
     * Returns the row of a pending job after linking: blocked, or failed.
     *
     * @param retention how long the job is kept if it fails because of a dependency, unless its type has a stored one
     *     by then
     */
    public CompletableFuture<JobRow> linked(
            Transaction tx, JobRef ref, JobRow pending, LinkResult linkResult, Retention retention) {
        JobRow waiting = pending.withOptions(pending.options()
                .blocked(true)
                .withDependencies(
                        DependencyFailures.keptIfFailed(pending.options().dependencies(), retention)));
        return linkResult.failure() == null
                ? CompletableFuture.completedFuture(waiting)
                : failures.fail(tx, ref, waiting, linkResult.failure());
    }

    private long newGroup() {
        long group = random.nextLong();
        return group == DependencyState.NO_GROUP ? 1 : group;
    }

    private static String nameOf(JobRef ref) {
        return ref.keys().typeName() + "/" + ref.id();
    }
}
