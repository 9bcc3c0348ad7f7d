package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.sequences.SequenceKey;
import dev.couchjobs.internal.sequences.SequenceRow;
import dev.couchjobs.internal.types.TypeTimeouts;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** What the additions of a transaction need besides the rows of the jobs. */
final class AddPreparation {
    private final Keyspace keyspace;

    AddPreparation(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /** {@return a future that fails if the job must not be added} */
    CompletableFuture<?> prepare(Transaction tx, NewJob<?> job) {
        CompletableFuture<?> timeout = ensureTimeout(tx, job.type()).thenCompose(isFirst -> writeLayoutIf(tx, isFirst));
        return AddRequest.hasKeys(job) ? CompletableFuture.allOf(timeout, prepareKeys(tx, List.of(job))) : timeout;
    }

    /** {@return a future that fails if one of the jobs must not be added} */
    CompletableFuture<?> prepare(Transaction tx, List<NewJob<?>> newJobs) {
        Map<String, JobType<?, ?>> jobTypes = new LinkedHashMap<>();
        newJobs.forEach(job -> jobTypes.putIfAbsent(job.type().name(), job.type()));
        CompletableFuture<?> timeouts = ensureTimeouts(tx, jobTypes.values());
        return newJobs.stream().anyMatch(AddRequest::hasKeys)
                ? CompletableFuture.allOf(timeouts, prepareKeys(tx, newJobs))
                : timeouts;
    }

    /** The first job of a type stores the type's timeout, and the first job of all the layout. */
    private CompletableFuture<?> ensureTimeouts(Transaction tx, Collection<JobType<?, ?>> types) {
        List<CompletableFuture<Boolean>> areFirst =
                types.stream().map(type -> ensureTimeout(tx, type)).toList();
        return Futures.listOf(areFirst).thenCompose(first -> writeLayoutIf(tx, first.contains(true)));
    }

    private CompletableFuture<Boolean> ensureTimeout(Transaction tx, JobType<?, ?> type) {
        return TypeTimeouts.setIfAbsent(tx, keyspace.type(type.name()), type.activityTimeout());
    }

    private CompletableFuture<?> writeLayoutIf(Transaction tx, boolean isFirst) {
        return isFirst ? new LayoutRow(keyspace).writeIfAbsent(tx) : CompletableFuture.completedFuture(null);
    }

    /** Keeps code that does not know some keys from the rows, and starts the reads of sequences. */
    private CompletableFuture<?> prepareKeys(Transaction tx, Collection<? extends NewJob<?>> newJobs) {
        boolean hasLimitKeys = newJobs.stream().anyMatch(job -> job.limitKey().isPresent());
        boolean hasTurnKeys = newJobs.stream().anyMatch(job -> job.turnKey().isPresent());
        Set<SequenceKey> sequences = newJobs.stream()
                .flatMap(job ->
                        job
                                .sequence()
                                .map(key ->
                                        new SequenceKey(keyspace.type(job.type().name()), key))
                                .stream())
                .collect(Collectors.toSet());
        sequences.forEach(key -> SequenceRow.prefetch(tx, key));
        boolean hasTags = newJobs.stream().anyMatch(job -> !job.tags().isEmpty());
        boolean hasHeaders = newJobs.stream().anyMatch(job -> !job.headers().isEmpty());
        boolean hasDeadlines =
                newJobs.stream().anyMatch(job -> job.startBefore().isPresent());
        boolean hasUniqueKeys = newJobs.stream().anyMatch(job -> job.unique().isPresent());
        CompletableFuture<?> batches = BatchVerbs.requireOpen(tx, keyspace, newJobs);
        CompletableFuture<?> raised = new LayoutRow(keyspace)
                .raise(
                        tx,
                        layout -> layout.with(Feature.LIMIT_KEYS, hasLimitKeys)
                                .with(Feature.UNIQUE_KEYS, hasUniqueKeys)
                                .with(Feature.TURN_KEYS, hasTurnKeys)
                                .with(Feature.SEQUENCES, !sequences.isEmpty())
                                .with(Feature.DEADLINES, hasDeadlines)
                                .with(Feature.TAGS, hasTags)
                                .with(Feature.HEADERS, hasHeaders));
        return CompletableFuture.allOf(batches, raised);
    }
}
