package dev.couchjobs.topics.internal.consumers;

import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.internal.groups.Claim;
import dev.couchjobs.topics.internal.groups.Consumption;
import dev.couchjobs.topics.internal.groups.Consumption.Next;
import dev.couchjobs.topics.internal.transactions.RootCauses;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consumes one partition that the member holds, in rounds, until it is stopped or the partition is lost. */
final class PartitionRunner<T> {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionRunner.class);
    /** A watch may be lost. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final ConsumerSettings<T> settings;
    private final Claim claim;
    private final Consumption partition;
    private final Runnable lost;
    private final CompletableFuture<Void> former;
    private final Loop loop;
    private final Rounds rounds = new Rounds();

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
        String name = settings.topic().name() + " " + claim.partition() + " of group " + settings.group();
        loop = new Loop("consumer of " + name, settings.environment(), () -> rounds.run(this::consume));
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
        return CompletableFuture.allOf(rounds.stop(), former);
    }

    private CompletableFuture<Pause> consume() {
        int limit = single > 0 ? 1 : settings.batch();
        return settings.handler()
                .run(settings.database(), partition, limit, next -> settings.decode(claim.partition(), next.messages()))
                .thenCompose(next -> {
                    if (next.messages().isEmpty()) {
                        return awaitMessages();
                    }
                    single = Math.max(0, single - next.messages().size());
                    return CompletableFuture.completedFuture(Pause.none());
                })
                .exceptionallyCompose(this::afterHandler)
                .exceptionallyCompose(this::afterLoss);
    }

    /** Watches the tail in a transaction that has seen the end of the log. */
    private CompletableFuture<Pause> awaitMessages() {
        return TopicTransactions.run(
                settings.database(),
                "await",
                tx -> partition
                        .peek(tx, 1)
                        .thenApply(next -> next.messages().isEmpty()
                                ? Pause.until(partition.watch(tx)).cappedAt(LOOK_AGAIN)
                                : Pause.none()));
    }

    /** {@return what follows a failure of the handler} Other errors are passed on. */
    private CompletableFuture<Pause> afterHandler(Throwable error) {
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
            return CompletableFuture.completedFuture(Pause.none());
        }
        return afterFailure(failure.next(), failure.reason());
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

    private CompletableFuture<Pause> afterFailure(Next failed, Throwable cause) {
        return TopicTransactions.run(settings.database(), "fail", tx -> partition.fail(tx, failed))
                .thenCompose(failures -> settings.retry()
                        .delayAfter(failures, settings.environment().random())
                        .map(delay -> retryLater(failed, failures, delay, cause))
                        .orElseGet(() -> giveUp(failed, failures, cause)));
    }

    private CompletableFuture<Pause> retryLater(Next failed, int failures, Duration delay, Throwable cause) {
        LOG.warn(
                "Message {} of {} has failed for the {}. time, and is handled again in {} ms: {}",
                new Offset(failed.messages().get(0).stamp()),
                this,
                failures,
                delay.toMillis(),
                String.valueOf(cause));
        return CompletableFuture.completedFuture(Pause.atMost(delay));
    }

    /** Without a topic for dead letters the partition waits: nothing is skipped that was not handled. */
    private CompletableFuture<Pause> giveUp(Next failed, int failures, Throwable cause) {
        if (settings.deadLetters().isEmpty()) {
            return retryLater(failed, failures, settings.retry().maxDelay(), cause);
        }
        DeadLetters letters = settings.deadLetters().get();
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
                                partition,
                                failed,
                                origin,
                                settings.environment().clock().instant()))
                .thenApply(done -> Pause.none());
    }

    @Override
    public String toString() {
        return "partition " + claim.partition() + " of topic \""
                + settings.topic().name() + "\"";
    }
}
