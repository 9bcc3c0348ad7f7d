package dev.couchjobs.internal.verbs;

import static java.util.concurrent.CompletableFuture.completedFuture;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Dependency;
import dev.couchjobs.Dependent;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.LinkedJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.internal.activity.RunningListing;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.dependencies.Dependents;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.Standing;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.observe.UserCode;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.queue.QueueListing;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.tags.TagIndex;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The verbs that list and count: pages of jobs and of their dependencies, and the number of jobs. A page reads a
 * bounded number of rows. If five seconds are too short for it, the page is shorter.
 */
public final class ListingVerbs {
    /** How many jobs are read for one page of the jobs in one state. */
    private static final int LOOKED_AT_MAX = 500;

    private final Database database;
    private final Keyspace keyspace;
    private final Transactions transactions;
    private final StaleRowRemoval staleRowRemoval;

    public ListingVerbs(Instance instance) {
        this.database = instance.database();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
        this.staleRowRemoval = new StaleRowRemoval(instance);
    }

    /** {@return how many jobs there are} */
    public CompletableFuture<JobCounts> counts(ReadTransactionContext context, JobType<?, ?> type) {
        return transactions
                .named("count", type.name())
                .read(context, tx -> StateCounters.read(tx, keyspace.type(type.name())));
    }

    /** {@return a page of all jobs by id} */
    public CompletableFuture<Page<JobSummary>> all(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        return new ById(type, "all", page, row -> true).scan(context, page.limit());
    }

    /** {@return a page of the jobs in one state: pending jobs in the order of the queue, other jobs by id} */
    public CompletableFuture<Page<JobSummary>> inState(
            ReadTransactionContext context, JobType<?, ?> type, JobState state, PageRequest page) {
        return switch (state) {
            case PENDING -> queued(context, type, page);
            case RUNNING -> new ById(type, state.name(), page, row -> row.state() == state).running(context);
            case FINISHED ->
                new ById(type, state.name(), page, row -> row.state() == state).scan(context, LOOKED_AT_MAX);
            case NOT_FOUND ->
                throw new IllegalArgumentException(
                        "Jobs that are not there cannot be listed: list those that are pending,"
                                + " running or finished.");
        };
    }

    /** {@return a page of the jobs with a tag, by id} */
    public CompletableFuture<Page<JobSummary>> tagged(
            ReadTransactionContext context, JobType<?, ?> type, String tag, PageRequest page) {
        Name.TAG.known(tag);
        return new ById(type, "tagged " + tag, page, row -> true).tagged(context, tag);
    }

    /** One page of a listing by id, which continues after an id, no matter how the page before was read. */
    private final class ById {
        private final TypeKeys keys;
        private final String name;
        private final int limit;
        private final String after;
        private final Predicate<JobRow> filter;

        ById(JobType<?, ?> type, String listing, PageRequest page, Predicate<JobRow> filter) {
            requireOldestFirst(page);
            this.keys = keyspace.type(type.name());
            this.name = listing + " " + type.name();
            this.limit = page.limit();
            this.after = page.after()
                    .map(continuation -> new String(PageToken.decode(name, continuation), StandardCharsets.UTF_8))
                    .orElse("");
            this.filter = filter;
        }

        /** {@return a page by the activity index, or by a scan of the jobs if the index cannot serve it} */
        CompletableFuture<Page<JobSummary>> running(ReadTransactionContext context) {
            return new BatchSize(limit)
                    .run(tries -> transactions
                            .named("list", keys.typeName())
                            .read(context, tx -> tries.next(size -> RunningListing.read(tx, keys, after, size))))
                    .thenCompose(found -> found.map(
                                    part -> CompletableFuture.completedFuture(page(part.byId(), part.last())))
                            .orElseGet(() -> scan(context, LOOKED_AT_MAX)));
        }

        CompletableFuture<Page<JobSummary>> tagged(ReadTransactionContext context, String tag) {
            return new BatchSize(limit)
                    .run(tries -> transactions
                            .named("list tagged", keys.typeName())
                            .read(
                                    context,
                                    tx -> tries.next(size -> TagIndex.read(tx, keys, tag, after, size)
                                            .thenApply(found -> new StaleRowRemoval.Listed<>(
                                                    page(found.byId(), found.last()), found.stale())))))
                    .thenCompose(listed -> staleRowRemoval.after(keys, TagIndex.ROWS, listed));
        }

        CompletableFuture<Page<JobSummary>> scan(ReadTransactionContext context, int lookedAtMax) {
            int lookedAt = Math.max(lookedAtMax, limit);
            AtomicBoolean hasSkipped = new AtomicBoolean();
            return new BatchSize(lookedAt)
                    .run(tries -> transactions
                            .named("list", keys.typeName())
                            .read(
                                    context,
                                    tx -> tries.next(size -> JobTable.list(tx, keys, after, size)
                                            .thenApply(rows -> {
                                                hasSkipped.set(rows.hasSkipped());
                                                return page(rows.byId(), last(rows.byId(), size));
                                            }))))
                    .thenCompose(found -> hasSkipped.get()
                            ? quarantine(keys, after, lookedAt).thenApply(done -> found)
                            : CompletableFuture.completedFuture(found));
        }

        private static Optional<String> last(Map<String, JobRow> rows, int size) {
            return rows.size() < size
                    ? Optional.empty()
                    : rows.keySet().stream().skip(size - 1).findFirst();
        }

        /** @param last the last id that was read, if more jobs may follow */
        private Page<JobSummary> page(Map<String, JobRow> rows, Optional<String> last) {
            List<JobSummary> jobs = new ArrayList<>();
            for (Map.Entry<String, JobRow> row : rows.entrySet()) {
                if (filter.test(row.getValue())) {
                    jobs.add(summary(row.getKey(), row.getValue()));
                }
                if (jobs.size() == limit) {
                    return new Page<>(jobs, Optional.of(continuation(row.getKey())));
                }
            }
            return new Page<>(jobs, last.map(this::continuation));
        }

        private String continuation(String id) {
            return PageToken.encode(name, id.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Moves rows whose ids cannot be decoded, which no loop reads. If that fails, a later listing tries it again. */
    private CompletableFuture<?> quarantine(TypeKeys keys, String after, int lookedAt) {
        return transactions
                .named("quarantine rows of", keys.typeName())
                .run(database, tx -> JobTable.list(tx, keys, after, lookedAt))
                .handle((done, error) -> keys);
    }

    private CompletableFuture<Page<JobSummary>> queued(
            ReadTransactionContext context, JobType<?, ?> type, PageRequest page) {
        requireOldestFirst(page);
        TypeKeys keys = keyspace.type(type.name());
        String name = JobState.PENDING + " " + type.name();
        QueueListing listing = new QueueListing(keys);
        byte[] after = page.after()
                .map(continuation -> {
                    byte[] last = PageToken.decode(name, continuation);
                    if (!listing.covers(last)) {
                        throw PageToken.unknown(continuation);
                    }
                    return last;
                })
                .orElse(new byte[0]);
        return new BatchSize(page.limit())
                .run(tries -> transactions
                        .named("list queue of", type.name())
                        .read(
                                context,
                                tx -> tries.next(size -> listing.read(tx, after, size)
                                        .thenCompose(rows -> summaries(tx, keys, rows)
                                                .thenApply(
                                                        jobs -> new Page<>(jobs, continuation(name, rows, size)))))));
    }

    private static Optional<String> continuation(String listing, List<QueueEntry> rows, int limit) {
        return rows.size() < limit
                ? Optional.empty()
                : Optional.of(
                        PageToken.encode(listing, rows.get(rows.size() - 1).key()));
    }

    private static CompletableFuture<List<JobSummary>> summaries(
            ReadTransaction tx, TypeKeys keys, List<QueueEntry> rows) {
        List<CompletableFuture<Optional<JobSummary>>> summaries = rows.stream()
                .map(row -> {
                    JobRef ref = new JobRef(keys, row.jobId());
                    return JobTable.find(tx, ref)
                            .thenApply(job -> job.filter(found -> row.matches(ref, found))
                                    .map(found -> summary(ref.id(), found)));
                })
                .toList();
        return Futures.presentOf(summaries);
    }

    /** {@return a page of the dependencies of a job} */
    public CompletableFuture<Page<Dependency>> waitsFor(
            ReadTransactionContext context, JobType<?, ?> type, String jobId, PageRequest page) {
        return related(context, dependencies(type, jobId), page, any -> true, (tx, found) -> completedFuture(found));
    }

    /** {@return a page of the jobs that wait for a job} */
    public CompletableFuture<Page<Dependent>> dependents(
            ReadTransactionContext context, JobType<?, ?> type, String jobId, PageRequest page) {
        return related(
                context,
                waiting(type, jobId),
                page,
                any -> true,
                (tx, found) -> completedFuture(
                        found.stream().map(Dependents.Waiting::dependent).toList()));
    }

    /** {@return a page of the dependencies of a job that are of some types, with their states} */
    public CompletableFuture<Page<LinkedJob>> dependencyStates(
            ReadTransactionContext context,
            JobType<?, ?> type,
            String jobId,
            Predicate<String> types,
            PageRequest page) {
        return related(
                context,
                dependencies(type, jobId),
                page,
                UserCode.predicate(types),
                (tx, found) ->
                        all(found, link -> linked(tx, new Dependent(link.typeName(), link.jobId(), link.policy()))));
    }

    /** {@return a page of the jobs of some types that wait for a job, with their states} */
    public CompletableFuture<Page<LinkedJob>> dependentStates(
            ReadTransactionContext context,
            JobType<?, ?> type,
            String jobId,
            Predicate<String> types,
            PageRequest page) {
        return related(
                context,
                waiting(type, jobId),
                page,
                UserCode.predicate(types),
                (tx, found) -> all(found, link -> linked(tx, link.dependent())));
    }

    private static <R, T> CompletableFuture<List<T>> all(List<R> rows, Function<R, CompletableFuture<T>> read) {
        List<CompletableFuture<T>> reads = rows.stream().map(read).toList();
        return Futures.listOf(reads);
    }

    private CompletableFuture<LinkedJob> linked(ReadTransaction tx, Dependent link) {
        return JobTable.find(tx, keyspace.job(link.typeName(), link.jobId()))
                .thenApply(row -> new LinkedJob(
                        link.typeName(),
                        link.jobId(),
                        link.policy(),
                        row.map(JobRow::state).orElse(JobState.NOT_FOUND),
                        row.filter(found -> found.state() == JobState.FINISHED).map(JobRow::outcome),
                        row.filter(found -> Standing.of(found) instanceof Standing.Blocked)
                                .isPresent()));
    }

    private Relation<Dependency> dependencies(JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return new Relation<>(
                "waits for " + type.name() + "/" + jobId,
                transactions.named("list dependencies of", type.name()),
                (tx, after, limit) -> Dependents.dependenciesOf(tx, ref, after, limit),
                link -> Tuple.from(link.typeName(), link.jobId()));
    }

    private Relation<Dependents.Waiting> waiting(JobType<?, ?> type, String jobId) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return new Relation<>(
                "wait for " + type.name() + "/" + jobId,
                transactions.named("list dependents of", type.name()),
                (tx, after, limit) -> Dependents.dependentsOf(tx, ref, after, limit),
                Dependents.Waiting::place);
    }

    /**
     * The rows of a job's relations to others.
     *
     * @param name the name of the listing
     * @param place the place of a row in their order, which ends with the type and the id of the other job
     */
    private record Relation<R>(
            String name, Transactions transactions, RelationReader<R> reader, Function<R, Tuple> place) {
        /** Reads jobs of some types. The rows of each other type are passed over at once, from the first on. */
        CompletableFuture<List<R>> read(ReadTransaction tx, Optional<Tuple> after, Predicate<String> types, int limit) {
            return reader.read(tx, after, limit).thenCompose(rows -> {
                List<R> found = rows.stream()
                        .filter(row -> isOf(types, place.apply(row)))
                        .toList();
                if (rows.size() < limit || found.size() == limit) {
                    return completedFuture(found);
                }
                Tuple last = place.apply(rows.get(rows.size() - 1));
                Tuple next = isOf(types, last) ? last : last.popBack();
                return read(tx, Optional.of(next), types, limit - found.size())
                        .thenApply(more ->
                                Stream.concat(found.stream(), more.stream()).toList());
            });
        }

        private static boolean isOf(Predicate<String> types, Tuple place) {
            return types.test(place.getString(place.size() - 2));
        }

        /** It names a job that was listed, so it tells the caller of no other. */
        String continuation(R last) {
            return PageToken.encode(name, place.apply(last).pack());
        }

        Tuple decode(String continuation) {
            try {
                return Tuple.fromBytes(PageToken.decode(name, continuation));
            } catch (RuntimeException e) { // the token names no job
                throw PageToken.unknown(continuation);
            }
        }
    }

    /** Reads the rows of a relation behind a place, or behind all of its type if it has no id. */
    @FunctionalInterface
    private interface RelationReader<R> {
        CompletableFuture<List<R>> read(ReadTransaction tx, Optional<Tuple> after, int limit);
    }

    /** {@return a page of what is stored of a job's relations to others} Its size adapts to what can be read. */
    private static <R, T> CompletableFuture<Page<T>> related(
            ReadTransactionContext context,
            Relation<R> relation,
            PageRequest page,
            Predicate<String> types,
            BiFunction<ReadTransaction, List<R>, CompletableFuture<List<T>>> toItems) {
        requireOldestFirst(page);
        Optional<Tuple> after = page.after().map(relation::decode);
        return new BatchSize(page.limit())
                .run(tries -> relation.transactions()
                        .read(
                                context,
                                tx -> tries.next(size -> relation.read(tx, after, types, size)
                                        .thenCompose(found -> toItems.apply(tx, found)
                                                .thenApply(items -> new Page<>(
                                                        items,
                                                        found.size() < size
                                                                ? Optional.empty()
                                                                : Optional.of(relation.continuation(
                                                                        found.get(found.size() - 1)))))))));
    }

    private static void requireOldestFirst(PageRequest page) {
        if (page.isNewestFirst()) {
            throw new IllegalArgumentException(
                    "Only dead letters are listed newest first; this listing has one order: ask without"
                            + " newestFirst().");
        }
    }

    private static JobSummary summary(String jobId, JobRow row) {
        return new JobSummary(jobId, row.state(), ScheduledTimes.toInstant(row.scheduledTime()));
    }
}
