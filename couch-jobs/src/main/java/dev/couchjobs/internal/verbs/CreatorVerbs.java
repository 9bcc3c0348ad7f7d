package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AddResult;
import dev.couchjobs.Dependency;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsException;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.TooManyGenerationsException;
import dev.couchjobs.TooManyJobsException;
import dev.couchjobs.internal.dependencies.DependencyLinker;
import dev.couchjobs.internal.dependencies.LinkResult;
import dev.couchjobs.internal.descent.Descent;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.BatchPlace;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.UniqueKey;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.observe.MiddlewareChain;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TransactionScope;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.unique.UniqueIndex;
import dev.couchjobs.internal.views.PayloadCodec;
import dev.couchjobs.loop.Observers;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The verbs of creators: {@code add} and {@code remove} (RFC 007, "Job Creation API"). */
public final class CreatorVerbs {
    private static final int GROUPS_PER_TRANSACTION = 500;
    /** Conflicts of one job delay those that share its commit no longer. */
    private static final int SHARED_CONFLICTS_MAX = 3;

    private static final int CONFLICT = 1020;

    private final Keyspace keyspace;
    private final Transactions transactions;
    private final PayloadCodec codec;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final TimeOrderedIds ids;
    private final DependencyLinker dependencyLinker;
    private final AddPreparation preparation;
    /** What uses one {@code Database} waits for no thread of another's executor. */
    private final Map<Database, SharedAdditions> small = Collections.synchronizedMap(new WeakHashMap<>());

    /** No small addition waits for a large one. */
    private final Map<Database, SharedAdditions> large = Collections.synchronizedMap(new WeakHashMap<>());

    private final Observers<JobsListener> listeners;
    private final MiddlewareChain middleware;

    public CreatorVerbs(Instance instance) {
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.codec = instance.codec();
        this.listeners = instance.listeners();
        this.middleware = instance.middleware();
        this.preparation = new AddPreparation(instance.keyspace());
        this.clock = instance.environment().clock();
        this.random = instance.environment().random();
        this.dependencyLinker = new DependencyLinker(instance.keyspace(), instance.clock(), random);
        this.ids = new TimeOrderedIds(clock, random);
    }

    /** {@return a unique id, greater than all that this instance has made before} */
    public String newJobId() {
        return ids.next();
    }

    /** {@return the result of the addition} */
    public CompletableFuture<AddResult> add(TransactionContext context, NewJob<?> job) {
        ThreadTransaction.requireJoined(context); // here, as middleware may continue on another thread
        return middleware.isEmpty()
                ? addOne(context, job)
                : middleware
                        .add(
                                List.of(job),
                                given -> addOne(context, given.get(0)).thenApply(List::of))
                        .thenApply(results -> results.get(0));
    }

    private CompletableFuture<AddResult> addOne(TransactionContext context, NewJob<?> job) {
        Addition addition = addition(job, Descent.ofAddition(context));
        CompletableFuture<AddResult> added = context instanceof Database database && addition.isShareable()
                ? transactions.ifOpen(() -> queueFor(addition, database).add(database, addition))
                : addAlone(context, addition);
        return listeners.isEmpty()
                ? added
                : added.thenApply(result -> {
                    report(List.of(addition.request()), List.of(result));
                    return result;
                });
    }

    private SharedAdditions queueFor(Addition addition, Database database) {
        return addition.isLarge()
                ? large.computeIfAbsent(database, added -> SharedAdditions.ofLarge(new SharedCommit()))
                : small.computeIfAbsent(database, added -> SharedAdditions.ofSmall(new SharedCommit()));
    }

    private CompletableFuture<AddResult> addAlone(TransactionContext context, Addition addition) {
        JobRef ref = addition.request().ref();
        return prepareGroups(context, ref, addition.request().dependencies())
                .thenCompose(prepared -> transactions
                        .named("add", ref.keys().typeName())
                        .runOnce(
                                context,
                                List.of(ref.keys()),
                                context instanceof Database
                                        ? verb(addition)
                                        : jobs -> cancelIfRefused(
                                                jobs, verb(addition).apply(jobs))));
    }

    private Transactions.Verb<AddResult> verb(Addition addition) {
        return jobs -> addUnlessDuplicate(jobs, addition.request(), preparation.prepare(jobs.tx(), addition.job()));
    }

    /**
     * Cancels the transaction of an addition that is refused: a caller who ignores the error would commit without the
     * job. When it has ended, as pending reads would fail by the cancellation and hide the cause.
     */
    private static <T> CompletableFuture<T> cancelIfRefused(JobStore jobs, CompletableFuture<T> addition) {
        return addition.whenComplete((added, error) -> {
            if (error != null && RootCauses.of(error) instanceof JobsException refusal) {
                TransactionScope.cancel(jobs.tx(), refusal);
            }
        });
    }

    /** Adds jobs that came at the same time. Additions that have begun run to their end, though this is closed. */
    private final class SharedCommit implements SharedAdditions.Commit {
        private final Transactions used = transactions.whileOpen(() -> true);

        @Override
        public CompletableFuture<AddResult> alone(Database database, Addition addition) {
            return addAlone(database, Integer.MAX_VALUE, addition);
        }

        @Override
        public CompletableFuture<List<AddResult>> together(Database database, List<Addition> additions) {
            if (additions.size() == 1) {
                return addAlone(database, SHARED_CONFLICTS_MAX, additions.get(0))
                        .thenApply(List::of)
                        .exceptionallyCompose(error -> failed(RootCauses.hasCode(error, CONFLICT), error));
            }
            Together together = new Together(additions);
            return used.named(
                            "add",
                            together.types.size() == 1 ? together.types.get(0).typeName() : "")
                    .runOnce(database, together.types, SHARED_CONFLICTS_MAX, together)
                    .exceptionallyCompose(
                            error -> failed(!together.mayHaveCommitted && !SharedAdditions.isTimeout(error), error));
        }

        private CompletableFuture<AddResult> addAlone(Database database, int conflictsMax, Addition addition) {
            TypeKeys keys = addition.request().ref().keys();
            return used.named("add", keys.typeName()).runOnce(database, List.of(keys), conflictsMax, verb(addition));
        }

        private static <T> CompletableFuture<T> failed(boolean mayGoAlone, Throwable error) {
            return CompletableFuture.failedFuture(
                    mayGoAlone ? new SharedAdditions.NotCommittedException(error) : error);
        }
    }

    private void report(List<AddRequest> requests, List<AddResult> results) {
        Map<String, Integer> added = new LinkedHashMap<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).change() != AddResult.Change.UNCHANGED) {
                added.merge(requests.get(i).ref().keys().typeName(), 1, Integer::sum);
            }
        }
        added.forEach((type, jobs) -> {
            JobsListener.Added event = new JobsListener.Added(type, jobs);
            listeners.report("added", listener -> listener.added(event));
        });
    }

    /** Writes the waiter groups of many dependencies in transactions of their own, before the job is added. */
    private CompletableFuture<?> prepareGroups(TransactionContext context, JobRef job, List<Dependency> dependencies) {
        CompletableFuture<?> done = CompletableFuture.completedFuture(dependencies);
        if (context instanceof Transaction || dependencies.size() <= GROUPS_PER_TRANSACTION) {
            return done;
        }
        for (int from = 0; from < dependencies.size(); from += GROUPS_PER_TRANSACTION) {
            int to = Math.min(dependencies.size(), from + GROUPS_PER_TRANSACTION);
            List<Dependency> portion = dependencies.subList(from, to);
            done = done.thenCompose(before -> transactions
                    .named("add dependencies", job.keys().typeName())
                    .run(context, tx -> dependencyLinker.prepareGroups(tx, portion)));
        }
        return done;
    }

    /** {@return a closing job to add} */
    ClosingJob closing(NewJob<?> job, String batch) {
        AddRequest request = addition(job, Descent.ofAddition()).request();
        return new ClosingJob(new Addition(job, request.in(BatchPlace.ofClosing(batch))));
    }

    /** A job that waits for a batch to close. */
    final class ClosingJob {
        private final Addition addition;

        private ClosingJob(Addition addition) {
            this.addition = addition;
        }

        JobRef ref() {
            return addition.request().ref();
        }

        List<TypeKeys> types() {
            return List.of(ref().keys());
        }

        CompletableFuture<AddResult> addTo(JobStore jobs) {
            return cancelIfRefused(
                    jobs,
                    CreatorVerbs.this.addTo(jobs, addition.request(), preparation.prepare(jobs.tx(), addition.job())));
        }
    }

    /**
     * Adds of jobs with one unique key run in the order of the calls: each sees whether those before it added a job.
     */
    private CompletableFuture<AddResult> addUnlessDuplicate(
            JobStore jobs, AddRequest request, CompletableFuture<?> allowed) {
        UniqueKey unique = request.options().unique();
        if (unique == null) {
            return addTo(jobs, request, allowed);
        }
        var unused = JobTable.prefetch(jobs.tx(), request.ref());
        return new UniqueAddition(jobs, request, unique, allowed).add();
    }

    /**
     * Adds a job unless it is a duplicate. If the transaction changes jobs with the unique key between the search and
     * the write, the addition searches again; this ends, as each repetition needs such a change. The addition of a job
     * with dependencies searches once: links that are written cannot be taken back.
     */
    private final class UniqueAddition {
        private final JobStore jobs;
        private final AddRequest request;
        private final UniqueKey unique;
        private final byte[] key;
        private final CompletableFuture<?> allowed;

        UniqueAddition(JobStore jobs, AddRequest request, UniqueKey unique, CompletableFuture<?> allowed) {
            this.jobs = jobs;
            this.request = request;
            this.unique = unique;
            this.key = UniqueIndex.rowKey(request.ref().keys(), unique);
            this.allowed = allowed;
        }

        CompletableFuture<AddResult> add() {
            List<JobRef> refs = Stream.concat(
                            Stream.of(request.ref()),
                            request.dependencies().stream().map(each -> keyspace.job(each.typeName(), each.jobId())))
                    .toList();
            return jobs.inOrder(List.of(key), refs, this::searchAndAdd)
                    .thenCompose(Begun::addition)
                    .exceptionallyCompose(error -> AddRequest.DuplicateChangedException.repeat(error, this::add));
        }

        /** {@return completes with the addition, which has ended unless it edits the job whose duplicate the job is} */
        private CompletableFuture<Begun> searchAndAdd(JobStore holding) {
            JobStore.KeyChanges since =
                    request.dependencies().isEmpty() ? jobs.changesOf(List.of(key)) : JobStore.KeyChanges.NONE;
            return UniqueIndex.owner(jobs.tx(), request.ref().keys(), unique).thenCompose(owner -> {
                AddRequest resolved = request.onto(owner).orElse(request);
                if (!resolved.ref().equals(request.ref())) {
                    return CompletableFuture.completedFuture(new Begun(addTo(jobs, resolved, since, allowed)));
                }
                return addTo(holding, resolved, since, allowed)
                        .thenApply(result -> new Begun(CompletableFuture.completedFuture(result)))
                        .exceptionallyCompose(error ->
                                AddRequest.DuplicateChangedException.repeat(error, () -> searchAndAdd(holding)));
            });
        }

        /** An addition for which the step that begins it does not wait: edits of other jobs may wait for the step. */
        private record Begun(CompletableFuture<AddResult> addition) {}
    }

    private CompletableFuture<AddResult> addTo(JobStore jobs, AddRequest request, CompletableFuture<?> allowed) {
        return addTo(jobs, request, JobStore.KeyChanges.NONE, allowed);
    }

    private CompletableFuture<AddResult> addTo(
            JobStore jobs, AddRequest request, JobStore.KeyChanges since, CompletableFuture<?> allowed) {
        Transaction tx = jobs.tx();
        JobRef ref = request.ref();
        CompletableFuture<LinkResult> linkResult = dependencyLinker.link(
                jobs, ref, request.dependencies(), request.retention(), request::leavesAlone, allowed);
        CompletableFuture<AddResult> added = jobs.edit(
                ref,
                () -> request.expected(tx),
                (before, expected) -> allowed.thenCompose(ok -> linkResult)
                        .thenCompose(found -> request.rowAfter(tx, before, expected, dependencyLinker, found))
                        .thenApply(after -> {
                            after.ifPresent(row -> {
                                if (!jobs.saveIfUnchanged(since, ref, before.orElse(null), row)) {
                                    throw new AddRequest.DuplicateChangedException();
                                }
                            });
                            return request.result(before, after);
                        }));
        return linkResult.thenCompose(prepared -> added); // an error of the links comes before its consequences
    }

    /** {@return the result of each addition, in the order of the jobs} */
    public CompletableFuture<List<AddResult>> addAll(
            TransactionContext context, Collection<? extends NewJob<?>> newJobs) {
        ThreadTransaction.requireJoined(context);
        return middleware.isEmpty() || newJobs.isEmpty()
                ? addMany(context, newJobs)
                : middleware.add(List.copyOf(newJobs), given -> addMany(context, given));
    }

    /**
     * Adds the jobs without dependencies together, and then the jobs with dependencies in order: so a job can wait for
     * any job before it.
     */
    private CompletableFuture<List<AddResult>> addMany(
            TransactionContext context, Collection<? extends NewJob<?>> newJobs) {
        if (newJobs.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        int descent = Descent.ofAddition(context);
        Together together =
                new Together(newJobs.stream().map(job -> addition(job, descent)).toList());
        List<Dependency> prepared = together.oneByOne.stream()
                .map(AddRequest::dependencies)
                .filter(dependencies -> dependencies.size() > GROUPS_PER_TRANSACTION)
                .flatMap(List::stream)
                .toList();
        CompletableFuture<List<AddResult>> addition = prepareGroups(
                        context, together.requests.get(0).ref(), prepared)
                .thenCompose(done -> transactions
                        .named("add all", together.types.get(0).typeName())
                        .runOnce(context, together.types, together))
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(
                        newJobs.size() > 1 && BatchSize.isTooLarge(error)
                                ? new TooManyJobsException(newJobs.size(), newJobs.size() / 2) // the number to try next
                                : error));
        return listeners.isEmpty()
                ? addition
                : addition.thenApply(results -> {
                    report(together.requests, results);
                    return results;
                });
    }

    /** Jobs that are added in one transaction. */
    private final class Together implements Transactions.Verb<List<AddResult>> {
        private final List<NewJob<?>> newJobs;
        private final List<AddRequest> requests;
        private final List<TypeKeys> types;
        private final AddBatch independent;
        private final UniqueBatch unique;
        private final List<AddRequest> oneByOne;
        private volatile boolean mayHaveCommitted;

        Together(List<Addition> additions) {
            newJobs = additions.stream().<NewJob<?>>map(Addition::job).toList();
            requests = additions.stream().map(Addition::request).toList();
            types = newJobs.stream()
                    .map(job -> job.type().name())
                    .distinct()
                    .map(keyspace::type)
                    .toList();
            Map<Boolean, List<AddRequest>> byIndependence = requests.stream()
                    .collect(Collectors.partitioningBy(
                            request -> request.dependencies().isEmpty()));
            Map<Boolean, List<AddRequest>> byUniqueness = byIndependence.getOrDefault(true, List.of()).stream()
                    .collect(Collectors.partitioningBy(
                            request -> request.unique().isPresent()));
            independent = new AddBatch(byUniqueness.getOrDefault(false, List.of()));
            unique = new UniqueBatch(byUniqueness.getOrDefault(true, List.of()));
            oneByOne = byIndependence.getOrDefault(false, List.of());
        }

        @Override
        public void mayHaveCommitted() {
            mayHaveCommitted = true;
        }

        @Override
        public CompletableFuture<List<AddResult>> apply(JobStore jobs) {
            mayHaveCommitted = false; // a search has found none of the tries before
            CompletableFuture<?> allowed = preparation.prepare(jobs.tx(), newJobs);
            Map<AddRequest, AddResult> results = Collections.synchronizedMap(new IdentityHashMap<>());
            List<CompletableFuture<?>> additions = new ArrayList<>();
            additions.add(independent.add(jobs, JobStore.KeyChanges.NONE, allowed, results));
            additions.add(unique.add(jobs, allowed, results));
            oneByOne.forEach(request -> additions.add(
                    addUnlessDuplicate(jobs, request, allowed).thenAccept(result -> results.put(request, result))));
            return cancelIfRefused(
                    jobs,
                    allOf(additions)
                            .thenApply(
                                    added -> requests.stream().map(results::get).toList()));
        }
    }

    /** Of several errors one that cancels the transaction is thrown: it causes the others. */
    private static CompletableFuture<?> allOf(List<CompletableFuture<?>> steps) {
        return Futures.allOf(steps).exceptionally(error -> {
            for (CompletableFuture<?> each : steps) {
                Optional<Throwable> thrown = each.handle((value, failure) -> Optional.ofNullable(failure))
                        .join();
                if (thrown.map(RootCauses::of).orElse(null) instanceof JobsException refusal) {
                    throw refusal;
                }
            }
            throw new CompletionException(RootCauses.of(error));
        });
    }

    private Addition addition(NewJob<?> job, int descent) {
        JobRef ref = keyspace.job(job.type().name(), job.id().orElseGet(ids::next));
        dependencyLinker.check(ref, job.dependencies());
        if (descent > job.type().maxDescent()) {
            throw new TooManyGenerationsException(
                    ref.toString(), descent, job.type().maxDescent());
        }
        return new Addition(job, AddRequest.of(ref, job, codec, clock.millis(), random::nextLong, descent));
    }

    /** {@return whether there was such a job} */
    public CompletableFuture<Boolean> remove(TransactionContext context, JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return transactions
                .named("remove", type.name())
                .runOnce(
                        context,
                        List.of(ref.keys()),
                        jobs -> JobAction.remove(keyspace).apply(jobs, ref));
    }
}
