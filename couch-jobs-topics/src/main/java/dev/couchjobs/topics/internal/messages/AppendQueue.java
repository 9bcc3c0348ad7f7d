package dev.couchjobs.topics.internal.messages;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.internal.log.LogWriter.Placed;
import dev.couchjobs.topics.internal.log.MessageRow;
import dev.couchjobs.topics.internal.log.TopicRow;
import dev.couchjobs.topics.internal.log.TopicTable;
import dev.couchjobs.topics.internal.messages.SharedAppends.Append;
import dev.couchjobs.topics.internal.transactions.RootCauses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The appends to one topic through one database. A few go at once, each in a commit of its own. While they are on their
 * way the others wait, and go together in the next commit.
 */
final class AppendQueue {
    /** A client with no more appends at a time than these waits for no commit but its own. */
    private static final int AT_ONCE = 2;

    private static final int TIMED_OUT = 1031;
    private static final int MESSAGES_MAX = 1_000;
    private static final long BYTES_MAX = 1_000_000;

    private final TopicTable table;
    private final String topicName;
    private final ScheduledExecutorService scheduler;

    @GuardedBy("this") private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** How many appends are on their way. */
    @GuardedBy("this") private int begun;

    /** The number of appends that have come. */
    @GuardedBy("this") private long count;

    AppendQueue(TopicTable table, String topicName, ScheduledExecutorService scheduler) {
        this.table = table;
        this.topicName = topicName;
        this.scheduler = scheduler;
    }

    private record Waiting(long number, Database database, Append append, CompletableFuture<List<Appended>> result) {
        int messages() {
            return append.rows().size();
        }

        long bytes() {
            return append.rows().stream().mapToLong(MessageRow::bytes).sum();
        }

        List<Placed> placed(TopicRow topic) {
            return append.messages().apply(topic);
        }

        void complete(@Nullable List<Appended> appended, @Nullable Throwable error) {
            if (error == null) {
                result.complete(appended);
            } else {
                result.completeExceptionally(RootCauses.of(error));
            }
        }
    }

    CompletableFuture<List<Appended>> add(Database database, Append append) {
        Waiting added;
        synchronized (this) {
            added = new Waiting(count++, database, append, new CompletableFuture<>());
            waiting.add(added);
        }
        commitWaiting();
        return added.result();
    }

    private void commitWaiting() {
        for (Shared next = begin(); !next.appends().isEmpty(); next = begin()) {
            Shared shared = next;
            CompletableFuture<List<Appended>> committed = commit(shared.appends());
            boolean isAtOnce = committed.isDone(); // then this loop goes on, and no call within a call
            Thread beginner = Thread.currentThread();
            var unused = committed.whenComplete((appended, failure) -> {
                Throwable error = failure == null ? null : RootCauses.of(failure);
                List<Waiting> late = end(shared, error);
                Turns answers = new Turns(scheduler, shared.executor());
                answer(answers, shared.appends(), appended, error);
                answer(answers, late, null, error);
                if (!isAtOnce) {
                    commitWaiting();
                }
                if (Thread.currentThread() == beginner) {
                    answers.runElsewhere(); // an answer may block, and the loops of this thread must not
                } else {
                    answers.run();
                }
            });
        }
    }

    /**
     * The appends of a commit.
     *
     * @param countBefore how many had come when the commit began
     */
    private record Shared(List<Waiting> appends, long countBefore) {
        Executor executor() {
            return GuardedExecutor.of(appends.get(0).database());
        }
    }

    /** {@return what is committed next; nothing if enough is on its way} */
    private synchronized Shared begin() {
        List<Waiting> next = new ArrayList<>();
        int messages = 0;
        long bytes = 0;
        while (begun < AT_ONCE && !waiting.isEmpty()) {
            Waiting first = waiting.element();
            messages += first.messages();
            bytes += first.bytes();
            boolean isTooMuch = messages > MESSAGES_MAX || bytes > BYTES_MAX;
            if (!next.isEmpty() && isTooMuch) {
                break;
            }
            next.add(waiting.remove());
        }
        begun += next.size();
        return new Shared(next, count);
    }

    /**
     * Ends a commit. {@return what fails with it} What has waited for as long as the commit may take does, if that was
     * too long: while the database is away each append fails after two time limits at most, however many there are.
     */
    private synchronized List<Waiting> end(Shared shared, @Nullable Throwable error) {
        begun -= shared.appends().size();
        List<Waiting> late = new ArrayList<>();
        if (error instanceof FDBException failure && failure.getCode() == TIMED_OUT) {
            while (!waiting.isEmpty() && waiting.element().number() < shared.countBefore()) {
                late.add(waiting.remove());
            }
        }
        return late;
    }

    private CompletableFuture<List<Appended>> commit(List<Waiting> together) {
        Waiting first = together.get(0);
        Function<TopicRow, List<Placed>> messages = together.size() == 1
                ? first::placed
                : topic -> together.stream()
                        .flatMap(one -> one.placed(topic).stream())
                        .toList();
        try {
            return new AppendCall(table, topicName, messages, first.append().at()).commit(first.database());
        } catch (Throwable e) { // the database is closed, or the caller's stack ends; what is begun has to end
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answer(
            Turns answers, List<Waiting> together, @Nullable List<Appended> appended, @Nullable Throwable error) {
        // What is wrong with one fails no other.
        boolean areAlone = together.size() > 1 && error instanceof IllegalArgumentException;
        int end = 0;
        for (Waiting one : together) {
            int begin = end;
            end += one.messages();
            List<Appended> own = appended == null ? null : List.copyOf(appended.subList(begin, end));
            answers.add(areAlone ? () -> commitAlone(one) : () -> one.complete(own, error));
        }
    }

    private void commitAlone(Waiting one) {
        var unused = commit(List.of(one)).whenComplete(one::complete);
    }
}
