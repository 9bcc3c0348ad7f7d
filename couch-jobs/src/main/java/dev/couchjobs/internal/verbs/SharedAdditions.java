package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.AddResult;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.loop.GuardedExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Additions to one database that come at the same time share commits. A few go at once, each in a commit of its own.
 * While they are on their way the others wait, and go together in the next commit. If that fails, and surely has not
 * committed, each goes alone and no other waits for it: what is wrong with one neither fails nor delays another.
 */
final class SharedAdditions {
    /** A caller with no more additions at a time than these waits for no commit but its own. */
    private static final int AT_ONCE = 2;

    private static final int JOBS_MAX = 100;
    private static final long BYTES_MAX = 500_000;
    /** No commit begins while this much data is on its way. */
    private static final long BYTES_AT_ONCE_MAX = 10_000_000;

    private static final int TIMED_OUT = 1031;
    private static final long NONE = -1;
    private static final Shared NOTHING = new Shared(List.of(), 0, 0);

    private final Commit commit;
    private final int atOnceMax;
    private final int jobsMax;

    @GuardedBy("this") private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** How many commits are on their way. */
    @GuardedBy("this") private int begun;

    /** How much data is on its way. */
    @GuardedBy("this") private long bytesBegun;

    /** The number of additions that have come. */
    @GuardedBy("this") private long count;

    private SharedAdditions(Commit commit, int atOnceMax, int jobsMax) {
        this.commit = commit;
        this.atOnceMax = atOnceMax;
        this.jobsMax = jobsMax;
    }

    /** {@return a queue for additions that share commits} */
    static SharedAdditions ofSmall(Commit commit) {
        return new SharedAdditions(commit, AT_ONCE, JOBS_MAX);
    }

    /** {@return a queue for large additions, each in a commit of its own; it limits only how much data goes at once} */
    static SharedAdditions ofLarge(Commit commit) {
        return new SharedAdditions(commit, Integer.MAX_VALUE, 1);
    }

    /** Adds jobs in one transaction. */
    interface Commit {
        /**
         * Adds jobs for which others wait.
         *
         * @return the results in the order of the additions; fails with {@link NotCommittedException} if each is to be
         *     added alone
         */
        CompletableFuture<List<AddResult>> together(Database database, List<Addition> additions);

        /** Adds a job for which no other waits. */
        CompletableFuture<AddResult> alone(Database database, Addition addition);
    }

    /** Says that a transaction has failed and surely has not committed, and that its additions may go alone. */
    static final class NotCommittedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotCommittedException(Throwable cause) {
            super(cause);
        }
    }

    private record Waiting(long number, Database database, Addition addition, CompletableFuture<AddResult> result) {
        void complete(@Nullable AddResult added, @Nullable Throwable error) {
            if (error == null) {
                result.complete(added);
            } else {
                result.completeExceptionally(RootCauses.of(error));
            }
        }
    }

    /**
     * The additions of a commit.
     *
     * @param bytes the size of their data
     * @param countBefore how many had come when the commit began
     */
    private record Shared(List<Waiting> additions, long bytes, long countBefore) {
        boolean isOnly(long number) {
            return additions.size() == 1 && additions.get(0).number() == number;
        }
    }

    /** Adds a job, perhaps together with others. */
    CompletableFuture<AddResult> add(Database database, Addition addition) {
        Waiting added;
        synchronized (this) {
            added = new Waiting(count++, database, addition, new CompletableFuture<>());
            waiting.add(added);
        }
        commitWaiting(added.number());
        return added.result();
    }

    /** @param own the number of the addition that the caller of this thread makes, {@link #NONE} if that is none */
    private void commitWaiting(long own) {
        for (Shared next = begin(); !next.additions().isEmpty(); next = begin()) {
            Shared shared = next;
            CompletableFuture<List<AddResult>> committed = commit(shared.additions());
            boolean isAtOnce = committed.isDone(); // then this loop goes on, and no call within a call
            var unused = committed.whenComplete((results, error) -> {
                List<Waiting> late = end(shared, error);
                if (!isAtOnce) {
                    commitWaiting(NONE);
                }
                if (shared.isOnly(own) && !mayGoAlone(error)) {
                    // Nothing can follow its result yet, or this is a thread of the database.
                    shared.additions().get(0).complete(results == null ? null : results.get(0), error);
                } else {
                    answer(shared.additions(), results, error);
                }
                late.forEach(one -> answer(one, null, error));
            });
        }
    }

    /** {@return what is committed next; nothing if enough is on its way} */
    private synchronized Shared begin() {
        if (waiting.isEmpty() || begun >= atOnceMax || bytesBegun >= BYTES_AT_ONCE_MAX) {
            return NOTHING;
        }
        List<Waiting> next = new ArrayList<>(Math.min(waiting.size(), jobsMax));
        long bytes = 0;
        while (next.size() < jobsMax && !waiting.isEmpty()) {
            long bytesWithNext = bytes + waiting.element().addition().bytes();
            if (!next.isEmpty() && bytesWithNext > BYTES_MAX) {
                break;
            }
            next.add(waiting.remove());
            bytes = bytesWithNext;
        }
        begun++;
        bytesBegun += bytes;
        return new Shared(next, bytes, count);
    }

    /**
     * Ends a commit. {@return what fails with it} What has waited for as long as the commit may take does, if that was
     * too long: while the database is away each addition fails after two time limits at most, however many there are.
     */
    private synchronized List<Waiting> end(Shared shared, @Nullable Throwable error) {
        begun--;
        bytesBegun -= shared.bytes();
        List<Waiting> late = new ArrayList<>();
        if (error != null && isTimeout(error)) {
            while (!waiting.isEmpty() && waiting.element().number() < shared.countBefore()) {
                late.add(waiting.remove());
            }
        }
        return late;
    }

    private CompletableFuture<List<AddResult>> commit(List<Waiting> together) {
        try {
            Waiting first = together.get(0);
            return commit.together(
                    first.database(),
                    together.size() == 1
                            ? List.of(first.addition()) // the common case, without a stream
                            : together.stream().map(Waiting::addition).toList());
        } catch (Throwable e) { // the database is closed, or the caller's stack ends; what is begun has to end
            return CompletableFuture.failedFuture(together.size() == 1 ? e : new NotCommittedException(e));
        }
    }

    private CompletableFuture<AddResult> commitAlone(Waiting one) {
        try {
            return commit.alone(one.database(), one.addition());
        } catch (Throwable e) { // as above
            return CompletableFuture.failedFuture(e);
        }
    }

    private static boolean mayGoAlone(@Nullable Throwable error) {
        return error != null && RootCauses.of(error) instanceof NotCommittedException;
    }

    private void answer(List<Waiting> together, @Nullable List<AddResult> results, @Nullable Throwable error) {
        boolean goAlone = mayGoAlone(error);
        for (int i = 0; i < together.size(); i++) {
            Waiting one = together.get(i);
            if (goAlone) {
                var unused = commitAlone(one).whenComplete((added, failure) -> answer(one, added, failure));
            } else {
                answer(one, results == null ? null : results.get(i), error);
            }
        }
    }

    /** What follows an answer may block, so each has a thread. */
    private static void answer(Waiting one, @Nullable AddResult added, @Nullable Throwable error) {
        Executor executor = GuardedExecutor.of(one.database());
        try {
            executor.execute(() -> one.complete(added, error));
        } catch (Throwable e) { // it is shut down, or there is no thread or stack left
            one.complete(added, error);
        }
    }

    static boolean isTimeout(Throwable error) {
        return RootCauses.hasCode(error, TIMED_OUT);
    }
}
