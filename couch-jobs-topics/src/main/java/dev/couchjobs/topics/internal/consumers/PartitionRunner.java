package dev.couchjobs.topics.internal.consumers;

import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.internal.groups.Claim;
import dev.couchjobs.topics.internal.groups.Consumption;
import dev.couchjobs.topics.internal.groups.Consumption.Parked;
import dev.couchjobs.topics.internal.groups.Source;
import dev.couchjobs.topics.internal.groups.Source.Next;
import dev.couchjobs.topics.internal.loops.Rounds;
import dev.couchjobs.topics.internal.transactions.RootCauses;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Consumes one partition that the member holds, in rounds, until it is stopped or the partition is lost. */
final class PartitionRunner<T> {
    private static final SafeLog LOG = SafeLog.of(PartitionRunner.class);
    /** A watch may be lost. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final ConsumerSettings<T> settings;
    private final Claim claim;
    private final Consumption partition;
    private final Runnable lost;
    private final CompletableFuture<Void> former;
    private final Loop loop;
    private final Rounds rounds = new Rounds();
    private final RunReports reports;

    /** Messages that are handled again out of their order. */
    private final ParkedMessages parked;

    /** Whether the next message comes from the log: parked ones do not keep it waiting. */
    private volatile boolean isHeadNext;

    /** Whether an attempt of the next message was counted before it begins. */
    private volatile boolean isCounted;

    /** How many messages are handled one by one, after a batch has failed, to find the one that fails. */
    private volatile int single;

    /**
     * @param former completes when the former runner of the partition has ended; this one begins after it
     * @param lost runs when another member holds the partition
     */
    PartitionRunner(
            ConsumerSettings<T> settings,
            Claim claim,
            Consumption partition,
            CompletableFuture<Void> former,
            Runnable lost) {
        this.settings = settings;
        this.claim = claim;
        this.partition = partition;
        this.former = former;
        this.lost = lost;
        reports = new RunReports(settings, claim.partition());
        String name = settings.topic().name() + " " + claim.partition() + " of group " + settings.group();
        loop = new Loop("consumer of " + name, settings.environment(), () -> rounds.run(this::consume));
        parked = new ParkedMessages(settings, partition, loop::wakeUp);
    }

    Claim claim() {
        return claim;
    }

    void start() {
        var unused = former.thenRun(loop::wakeUp);
    }

    /** Begins no further round. {@return completes when the present one has ended, also of a former runner} */
    CompletableFuture<Void> stop() {
        loop.close();
        parked.close();
        return CompletableFuture.allOf(rounds.stop(), former);
    }

    private CompletableFuture<Pause> consume() {
        Parked due = isHeadNext ? null : parked.next();
        isHeadNext = due != null;
        return (due == null ? consumeHead() : consumeParked(due)).exceptionallyCompose(this::afterLoss);
    }

    private CompletableFuture<Pause> consumeHead() {
        Source source = partition.head(single > 0 ? 1 : settings.batch(), isCounted);
        return handle(source)
                .thenCompose(next -> next.parked() > 0 ? parked.load().thenApply(loaded -> next) : done(next))
                .thenCompose(next -> {
                    if (next.isSuspect()) {
                        return countAttempt(source, next);
                    }
                    if (next.messages().isEmpty()) {
                        return parked.isDue() ? done(Pause.none()) : awaitMessages();
                    }
                    single = Math.max(0, single - next.messages().size());
                    isCounted = false;
                    return done(Pause.none());
                })
                .exceptionallyCompose(error -> afterHandler(source, error));
    }

    private static <R> CompletableFuture<R> done(R result) {
        return CompletableFuture.completedFuture(result);
    }

    private CompletableFuture<Next> handle(Source source) {
        RunReports.Round report = reports.begin();
        return settings.handler()
                .run(settings.database(), source, next -> settings.decode(claim.partition(), next.messages()))
                .thenApply(next -> {
                    if (!next.messages().isEmpty()) {
                        report.consumed(next.messages().size());
                    }
                    return next;
                });
    }

    /**
     * A consumer has died at this place, perhaps of its message. The attempt is counted before it begins, so that a
     * message which kills its process does so as often as the policy says.
     */
    private CompletableFuture<Pause> countAttempt(Source source, Next suspect) {
        single = settings.batch();
        if (settings.isExhausted(suspect.failures())) {
            return TopicTransactions.read(settings.database(), "consume", partition.head(1, true)::peek)
                    // The topic may have removed the message meanwhile.
                    .thenCompose(next -> !settings.isExhausted(next.failures())
                            ? done(Pause.none())
                            : letGo(source, next, next.failures(), diedOf()));
        }
        return TopicTransactions.run(settings.database(), "count", tx -> partition.fail(tx, suspect))
                .thenCompose(failures -> {
                    isCounted = true;
                    return consumeHead(); // in this round, for which a stop waits: what is counted is handled
                });
    }

    /** Watches the tail in a transaction that has seen the end of the log. */
    private CompletableFuture<Pause> awaitMessages() {
        return TopicTransactions.run(
                settings.database(),
                "await",
                tx -> partition
                        .head(1, true)
                        .peek(tx)
                        .thenApply(next -> next.messages().isEmpty()
                                ? Pause.until(partition.watch(tx)).cappedAt(LOOK_AGAIN)
                                : Pause.none()));
    }

    /** {@return what follows a failure of the handler} Other errors are passed on. */
    private CompletableFuture<Pause> afterHandler(Source source, Throwable error) {
        Throwable cause = RootCauses.of(error);
        if (!(cause instanceof HandlerFailure failure)) {
            return CompletableFuture.failedFuture(cause);
        }
        if (failure.next().messages().size() > 1) {
            single = failure.next().messages().size();
            LOG.warn(
                    "Handling {} messages of {} has failed, they are handled one by one: {}",
                    single,
                    this,
                    failure.reason().toString());
            return done(Pause.none());
        }
        // Otherwise the topic has removed the message whose attempt was counted.
        boolean wasCounted = isCounted && failure.next().failures() > 0;
        isCounted = false;
        return afterFailure(source, failure.next(), wasCounted, failure.reason());
    }

    /** {@return what follows the loss of the partition} After other errors the loop backs off. */
    private CompletableFuture<Pause> afterLoss(Throwable error) {
        Throwable cause = RootCauses.of(error);
        if (!(cause instanceof PartitionLostException)) {
            return CompletableFuture.failedFuture(cause);
        }
        LOG.info("{}", cause.getMessage());
        lost.run();
        return CompletableFuture.completedFuture(Pause.untilWakeUp());
    }

    private CompletableFuture<Pause> afterFailure(Source source, Next failed, boolean wasCounted, Throwable cause) {
        return park(failed, failed.failures() + (wasCounted ? 0 : 1), cause).thenCompose(isParked -> {
            if (isParked) {
                return done(Pause.none());
            }
            CompletableFuture<Integer> failures = wasCounted
                    ? CompletableFuture.completedFuture(failed.failures())
                    : TopicTransactions.run(settings.database(), "fail", tx -> partition.fail(tx, failed));
            return failures.thenCompose(count -> retryOrLetGo(source, failed, count, cause));
        });
    }

    private CompletableFuture<Pause> retryOrLetGo(Source source, Next failed, int failures, Throwable cause) {
        return settings.isExhausted(failures)
                ? letGo(source, failed, failures, cause)
                : done(Pause.atMost(reportRetry(failed, failures, cause)));
    }

    /** {@return whether the group goes on behind the message, which is handled again} */
    private CompletableFuture<Boolean> park(Next failed, int failures, Throwable cause) {
        if (settings.isOrdered() || settings.isExhausted(failures)) {
            return done(false);
        }
        return parked.load()
                .thenCompose(loaded ->
                        TopicTransactions.run(settings.database(), "park", tx -> partition.park(tx, failed, failures)))
                .thenApply(isParked -> {
                    if (isParked) {
                        parkLater(failed, failures, cause);
                    }
                    return isParked;
                });
    }

    private void parkLater(Next failed, int failures, Throwable cause) {
        Duration pause = reportRetry(failed, failures, cause);
        parked.later(new Parked(failed.messages().get(0).stamp(), failures), pause);
    }

    /** Handles a message that is parked. Each attempt is counted before it begins. */
    private CompletableFuture<Pause> consumeParked(Parked due) {
        Source source = partition.parked(due.stamp());
        if (settings.isExhausted(due.failures())) { // the last attempt has not ended
            return orLater(
                    due,
                    TopicTransactions.read(settings.database(), "consume", source::peek)
                            .thenCompose(next -> letGo(source, next, due.failures(), diedOf())));
        }
        CompletableFuture<Integer> begun =
                TopicTransactions.run(settings.database(), "count", tx -> partition.begin(tx, due));
        return begun.exceptionallyCompose(error -> orLater(due, CompletableFuture.failedFuture(error)))
                .thenCompose(attempts -> attempts == 0
                        ? done(Pause.none())
                        : orLater(new Parked(due.stamp(), attempts), attempt(source, attempts)));
    }

    /** An error that is none of the handler's leaves the message parked. */
    private <R> CompletableFuture<R> orLater(Parked message, CompletableFuture<R> result) {
        return result.whenComplete((done, error) -> {
            if (error != null) {
                parked.again(message);
            }
        });
    }

    private CompletableFuture<Pause> attempt(Source source, int attempts) {
        return handle(source)
                .thenCompose(next -> next.messages().isEmpty() ? unpark(source, next) : done(Pause.none()))
                .exceptionallyCompose(error -> afterParked(source, attempts, error));
    }

    private static IllegalStateException diedOf() {
        return new IllegalStateException("Its last attempt has not ended: the consumer has died.");
    }

    /** The topic does not keep the message any more. */
    private CompletableFuture<Pause> unpark(Source source, Next gone) {
        return TopicTransactions.run(settings.database(), "consume", tx -> source.commit(tx, gone))
                .thenApply(done -> Pause.none());
    }

    private CompletableFuture<Pause> afterParked(Source source, int attempts, Throwable error) {
        Throwable cause = RootCauses.of(error);
        if (!(cause instanceof HandlerFailure failure)) {
            return CompletableFuture.failedFuture(cause);
        }
        if (settings.isExhausted(attempts)) {
            return letGo(source, failure.next(), attempts, failure.reason());
        }
        parkLater(failure.next(), attempts, failure.reason());
        return done(Pause.none());
    }

    /** {@return the pause before the next attempt} Without a topic for dead letters there always is one. */
    private Duration reportRetry(Next failed, int failures, Throwable cause) {
        Duration pause = settings.pauseAfter(failures);
        reports.failed(failures, cause);
        LOG.warn(
                "Message {} of {} has failed for the {}. time, and is handled again in {} ms: {}",
                new Offset(failed.messages().get(0).stamp()),
                this,
                failures,
                pause.toMillis(),
                String.valueOf(cause));
        return pause;
    }

    /** Moves an exhausted message to the topic for dead letters. */
    private CompletableFuture<Pause> letGo(Source source, Next failed, int failures, Throwable cause) {
        if (failed.messages().isEmpty()) {
            return unpark(source, failed);
        }
        reports.failed(failures, cause);
        DeadLetters letters = settings.deadLetters().orElseThrow();
        DeadLetters.Origin origin =
                new DeadLetters.Origin(settings.topic().name(), claim.partition(), settings.group(), failures, cause);
        LOG.warn(
                "Message {} of {} has failed {} times, and goes to topic \"{}\": {}",
                new Offset(failed.messages().get(0).stamp()),
                this,
                failures,
                letters.topicName(),
                String.valueOf(cause));
        return TopicTransactions.run(
                        settings.database(),
                        "dead letter",
                        tx -> letters.move(
                                tx,
                                source,
                                failed,
                                origin,
                                settings.environment().clock().instant()))
                .thenApply(done -> {
                    reports.deadLettered();
                    return Pause.none();
                });
    }

    @Override
    public String toString() {
        return "partition " + claim.partition() + " of topic \""
                + settings.topic().name() + "\"";
    }
}
