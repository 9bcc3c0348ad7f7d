package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.Payload;
import dev.couchjobs.internal.data.Terms;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A job to add, with everything settled that needs no transaction.
 *
 * @param ref where it is to be
 * @param payload its data
 * @param scheduledTime seconds since the epoch, 0 for none
 * @param terms what it asks for beyond the RFC
 */
record Addition(JobRef ref, Payload payload, long scheduledTime, Terms terms) {

    static <D> Addition of(JobRef ref, NewJob<D> job, PayloadCodec codec) {
        Payload payload = Payload.of(codec.encode(job.type(), ref.id(), job.data()));
        long time = job.at().map(ScheduledTimes::toSeconds).orElse(ScheduledTimes.NONE);
        return new Addition(ref, payload, time, Terms.asking(0, job.retry().orElse(null)));
    }

    /** {@return what becomes of the job, or empty if it is as it is to be: then there is no write, and no conflict} */
    CompletableFuture<Optional<JobRow>> to(ReadTransaction tx, Optional<JobRow> before) {
        return isAsGiven(tx, before)
                .thenApply(nothingNew -> nothingNew ? Optional.empty() : Optional.of(added(before)));
    }

    private CompletableFuture<Boolean> isAsGiven(ReadTransaction tx, Optional<JobRow> before) {
        if (before.isEmpty() || before.get().scheduledTime() != scheduledTime) {
            return CompletableFuture.completedFuture(false);
        }
        JobRow row = before.get();
        if (row.state() == JobState.RUNNING) {
            return CompletableFuture.completedFuture(row.resubmit());
        }
        return row.state() == JobState.PENDING && row.terms().askTheSameAs(terms)
                ? row.payload().holds(tx, ref, payload)
                : CompletableFuture.completedFuture(false);
    }

    /** The four cases of {@code add}. What a running job has belongs to its processor, but for when it is to run again. */
    private JobRow added(Optional<JobRow> before) {
        if (before.isEmpty()) {
            return JobRow.added(payload, scheduledTime, terms);
        }
        JobRow row = before.get();
        if (row.state() == JobState.RUNNING) {
            return row.flagged(scheduledTime);
        }
        JobRow again = row.enqueued(payload, scheduledTime);
        return again.on(again.terms().asking(terms));
    }
}
