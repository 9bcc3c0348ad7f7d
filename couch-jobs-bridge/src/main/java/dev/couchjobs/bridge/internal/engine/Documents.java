package dev.couchjobs.bridge.internal.engine;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.document.Cluster;
import dev.couchjobs.bridge.internal.document.DocumentKind;
import dev.couchjobs.bridge.internal.document.DocumentReader;
import dev.couchjobs.bridge.internal.document.DocumentWriter;
import dev.couchjobs.bridge.internal.document.JobDocument;
import dev.couchjobs.bridge.internal.document.Merge;
import dev.couchjobs.bridge.internal.document.Merged;
import dev.couchjobs.bridge.internal.document.Reading;
import dev.couchjobs.bridge.internal.document.Run;
import dev.couchjobs.bridge.internal.document.RunEnd;
import dev.couchjobs.bridge.internal.document.Step;
import dev.couchjobs.bridge.internal.document.Transition;
import dev.couchjobs.bridge.internal.engine.Assignment.Kept;
import dev.couchjobs.bridge.internal.ledger.Entry;
import dev.couchjobs.bridge.internal.ledger.Ledger;
import dev.couchjobs.bridge.internal.ledger.Published;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is kept of documents, and how it changes: by what CouchDB says of them, and by what becomes of their steps here.
 * Each change, the jobs that follow from it and the need to write it back are one turn.
 */
final class Documents {
    private static final Logger LOG = LoggerFactory.getLogger(Documents.class);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private final String node;
    private final Ledger ledger;
    private final Assignment assignment;
    private final Environment environment;
    private final Cluster cluster;
    private final DocumentReader reader;
    /** Of what was accepted once. */
    private final DocumentReader own;

    private final Running running;
    private final Duration retention;
    private final Database database;
    private final CouchJobs jobs;
    private volatile boolean isClosed;

    Documents(BridgeContext context, Assignment assignment, Running running) {
        this.node = context.node();
        this.ledger = context.ledger();
        this.environment = context.environment();
        this.cluster = context.cluster();
        this.reader = new DocumentReader(cluster);
        this.own = reader.trusting();
        this.retention = context.retention();
        this.database = context.database();
        this.jobs = context.jobs();
        this.assignment = assignment;
        this.running = running;
    }

    /** Runs a turn, and looks in it at all that depends on what it changes. */
    <T extends @Nullable Object> CompletableFuture<T> turn(
            Turn.Runner runner, Function<Turn, CompletableFuture<T>> body) {
        return Turn.run(
                runner,
                jobs,
                this::later,
                turn -> body.apply(turn).thenCompose(result -> review(turn).thenApply(done -> result)));
    }

    /** Whatever happens: nobody else would do it. */
    private void later(Duration delay, Function<Turn, CompletableFuture<Void>> body) {
        var unused = environment.scheduler().schedule(() -> now(body), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void now(Function<Turn, CompletableFuture<Void>> body) {
        if (!isClosed) {
            var unused = turn(Turn.Runner.of(database), body).whenComplete((done, error) -> {
                if (error != null && !isClosed) {
                    LOG.warn("A look at a claim has failed; the next is in {}", AFTER_FAILURE, error);
                    later(AFTER_FAILURE, body);
                }
            });
        }
    }

    /** Has nothing run later any more. */
    void close() {
        isClosed = true;
    }

    private CompletableFuture<Void> review(Turn turn) {
        Optional<String> next = turn.nextToReview();
        if (next.isPresent()) {
            return look(turn, next.get(), kept -> assignment.next(turn, kept, false))
                    .thenCompose(done -> review(turn));
        }
        return turn.reviewsLine() ? reviewLine(turn) : done();
    }

    private CompletableFuture<Void> reviewLine(Turn turn) {
        return assignment
                .fromLine(turn)
                .thenCompose(next -> next.isEmpty()
                        ? done()
                        : look(turn, next.get(), kept -> assignment.claim(turn, kept))
                                .thenCompose(done -> reviewLine(turn)));
    }

    /** Looks at a live document again. */
    private CompletableFuture<Void> look(Turn turn, String id, Function<Kept, CompletableFuture<Kept>> change) {
        return ledger.find(turn.tx(), id).thenCompose(entry -> {
            Optional<Kept> before = entry.filter(Entry::isLive).map(this::kept);
            return before.isEmpty()
                    ? done()
                    : change.apply(before.get()).thenAccept(now -> {
                        save(turn, before, now);
                        if (!now.document().equals(before.get().document())) {
                            send(turn, id, now.entry().home());
                        }
                    });
        });
    }

    /** Takes up what a process that has ended has left. */
    CompletableFuture<Void> resume() {
        return turn(Turn.Runner.of(database), assignment::resume);
    }

    // What CouchDB says

    /** Takes in what a database has of a document. */
    CompletableFuture<Void> take(Turn turn, StoredDocument stored) {
        String id = stored.id();
        return ledger.find(turn.tx(), id)
                .thenCombine(ledger.published(turn.tx(), id), (entry, published) -> new Known(entry, published))
                .thenCompose(known -> take(turn, stored, known));
    }

    /** What is known of a document before it is looked at. */
    private record Known(Optional<Entry> entry, Optional<Published> published) {
        /** Whether more has been written since the document was read. */
        boolean isAheadOf(Leaf leaf) {
            return published
                    .filter(last -> last.generation() > leaf.generation())
                    .isPresent();
        }
    }

    private CompletableFuture<Void> take(Turn turn, StoredDocument stored, Known known) {
        if (stored.leaves().isEmpty()) { // not there yet, as on a node that others replicate to
            return done();
        }
        Leaf winner = stored.leaves().get(0);
        if (winner.isDeleted()) {
            return known.isAheadOf(winner) ? done() : deleted(turn, stored.id(), winner, known);
        }
        Optional<Entry> kept = known.entry().filter(entry -> !isReplaced(entry, winner, known));
        Reading reading = reader.read(winner.body());
        if (reading instanceof Reading.Job job) {
            return job(turn, stored, job.document(), new Known(kept, known.published()));
        }
        if (reading instanceof Reading.Broken broken && broken.kind() == DocumentKind.JOB) {
            return broken(turn, winner, broken.reason(), broken.isEnded(), kept, known);
        }
        return kept.filter(Entry::isLive).isEmpty()
                ? done()
                : broken(turn, winner, "this is no job document any more", false, kept, known);
    }

    /** Whether a document is another one by now: made again after it was deleted, or mended after it was refused. */
    private boolean isReplaced(Entry entry, Leaf leaf, Known known) {
        return switch (entry.standing()) {
            case DELETED -> !known.isAheadOf(leaf);
            case REFUSED ->
                !known.isAheadOf(leaf)
                        && reader.read(leaf.body()) instanceof Reading.Job job
                        && !job.document().isEnded();
            case LIVE, ENDED -> false;
        };
    }

    private CompletableFuture<Void> deleted(Turn turn, String id, Leaf tombstone, Known known) {
        ledger.published(turn.tx(), id, published(tombstone, List.of()));
        Optional<Entry> kept = known.entry().filter(entry -> entry.standing() != Entry.Standing.DELETED);
        return kept.map(entry -> {
                    LOG.info("Document {} was deleted{}", id, entry.isLive() ? "; its job ends" : "");
                    ledger.keep(turn.tx(), assignment.writer(entry.home()), id);
                    save(turn, id, entry.with(entry.body(), Entry.Standing.DELETED));
                    turn.afterwards(() -> running.stop(id));
                    return entry.isLive() ? stop(turn, kept(entry)) : done();
                })
                .orElseGet(Documents::done);
    }

    /** Ends what cannot be run, if that is for this node to say, and writes the reason into the document as it is. */
    private CompletableFuture<Void> broken(
            Turn turn, Leaf leaf, String reason, boolean isEnded, Optional<Entry> kept, Known known) {
        String id = leaf.body().path("_id").asString();
        String home = kept.map(Entry::home).orElseGet(() -> homeOf(leaf.body()));
        boolean isLive = kept.filter(Entry::isLive).isPresent();
        if (known.isAheadOf(leaf) || (kept.isPresent() && !isLive) || !assignment.judges(home, kept.isPresent())) {
            return done();
        }
        if (isEnded && !isLive) {
            return done(); // it says so already
        }
        LOG.warn("Document {} cannot be run: {}", id, reason);
        ObjectNode body = DocumentWriter.refuse(leaf.body(), reason);
        ledger.published(turn.tx(), id, published(leaf, List.of()));
        save(turn, id, new Entry(body, home, Entry.Standing.REFUSED, OptionalLong.empty()));
        send(turn, id, home);
        turn.afterwards(() -> running.stop(id));
        return isLive ? stop(turn, kept(kept.get())) : done();
    }

    private CompletableFuture<Void> stop(Turn turn, Kept before) {
        assignment.gone(turn, before);
        return assignment.stop(turn, before);
    }

    private String homeOf(ObjectNode body) {
        String creator = body.path("creator").asString("");
        return cluster.nodes().contains(creator) ? creator : assignment.homeOfStrangers();
    }

    private CompletableFuture<Void> job(Turn turn, StoredDocument stored, JobDocument shown, Known known) {
        Leaf winner = stored.leaves().get(0);
        Merged seen = joined(stored, shown);
        Optional<Kept> before = known.entry().map(this::kept);
        Merged merged = seen instanceof Merged.Joined all && before.isPresent()
                ? Merge.join(before.get().document(), all.document())
                : seen;
        if (merged instanceof Merged.PlansDiffer differ) {
            return broken(turn, winner, differ.reason(), false, known.entry(), known);
        }
        JobDocument now = ((Merged.Joined) merged).document();
        Kept after = before.map(kept -> kept.with(now))
                .orElseGet(
                        () -> new Kept(now, Entry.live(winner.body(), now.plan().creator())));
        if (!known.isAheadOf(winner) && assignment.writer(after.entry().home()).equals(node)) {
            List<String> losers =
                    stored.leaves().stream().skip(1).map(Leaf::revision).toList();
            ledger.published(turn.tx(), stored.id(), published(winner, losers));
        }
        return settle(turn, before, after).thenAccept(settled -> {
            JobDocument said = after.entry().home().equals(node) ? shown : ((Merged.Joined) seen).document();
            boolean hasLosers =
                    stored.leaves().size() > 1 && after.entry().home().equals(node);
            boolean isBehind = !known.isAheadOf(winner) && (!settled.document().equals(said) || hasLosers);
            if (isBehind && assignment.writer(after.entry().home()).equals(node)) {
                send(turn, stored.id(), after.entry().home());
            }
        });
    }

    private Merged joined(StoredDocument stored, JobDocument shown) {
        Merged all = new Merged.Joined(shown);
        for (Leaf leaf : stored.leaves().subList(1, stored.leaves().size())) {
            if (all instanceof Merged.Joined so && reader.read(leaf.body()) instanceof Reading.Job job) {
                all = Merge.join(so.document(), job.document());
            }
        }
        return all;
    }

    /** Keeps what follows from what is known now. */
    private CompletableFuture<Kept> settle(Turn turn, Optional<Kept> before, Kept now) {
        String id = now.document().id();
        boolean wasLive = before.filter(kept -> kept.entry().isLive()).isPresent();
        boolean isOther = before.isPresent()
                && before.get().document().currentStep() != now.document().currentStep();
        if (now.document().isEnded()) {
            before.filter(kept -> kept.entry().isLive()).ifPresent(kept -> assignment.gone(turn, kept));
            if (isBorneOut(now.document())) { // other nodes' parts of a step may still run to their end
                return CompletableFuture.completedFuture(save(turn, before, now));
            }
            turn.afterwards(() -> running.stop(id));
            CompletableFuture<Void> stopped = wasLive ? assignment.stop(turn, before.get()) : done();
            return stopped.thenApply(nothing -> save(turn, before, now));
        }
        CompletableFuture<Void> stopped = isOther ? assignment.stop(turn, before.get()) : done();
        return stopped.thenCompose(nothing -> assignment.next(turn, now, before.isEmpty() || isOther))
                .thenApply(next -> save(turn, before, next));
    }

    /** Whether a job has ended by what became of its steps, and not by somebody's word. */
    private static boolean isBorneOut(JobDocument ended) {
        return IntStream.range(0, ended.plan().steps().size())
                        .mapToObj(step -> ended.step(step).status())
                        .anyMatch(status -> status.equals(Optional.of(Run.Status.FAILED)))
                || ended.currentStep() == ended.plan().steps().size();
    }

    // What becomes of steps

    /** What a step needs to be run. */
    record Begun(Step step, int tries, ZonedDateTime since) {}

    /** A job for a step has been taken up here. {@return the step, or empty if there is nothing to do any more} */
    CompletableFuture<Optional<Begun>> begin(Turn turn, StepJob job, String worker) {
        return change(turn, job, document -> {
            ZonedDateTime now = now();
            return assignment.begin(document.step(job.step()), job, Step.executioner(node, worker), now);
        });
    }

    /** A try has failed, and another will follow. {@return empty if there is nothing to do any more} */
    CompletableFuture<Optional<Begun>> tried(Turn turn, StepJob job) {
        return change(turn, job, document -> document.step(job.step()).tried(node));
    }

    /** How one thing that happens to a step changes its document. */
    private interface Change {
        Transition of(JobDocument document);
    }

    private CompletableFuture<Optional<Begun>> change(Turn turn, StepJob job, Change change) {
        return ledger.find(turn.tx(), job.document()).thenApply(entry -> {
            Optional<Kept> before = entry.filter(Entry::isLive).map(this::kept);
            if (before.isEmpty()) {
                return Optional.empty();
            }
            Transition transition = change.of(before.get().document());
            if (transition instanceof Transition.Refused refused) {
                LOG.debug("{}: {}", job.document(), refused.reason());
                return Optional.empty();
            }
            JobDocument now = ((Transition.To) transition).document();
            save(turn, before, before.get().with(now));
            boolean isNews = !isSameToPeople(before.get().document().step(job.step()), now.step(job.step()));
            if (isNews) {
                send(turn, job.document(), before.get().entry().home());
            }
            return now.step(job.step())
                    .progress()
                    .run(node)
                    .map(run -> new Begun(
                            now.step(job.step()), run.tries(), run.start().orElseGet(this::now)));
        });
    }

    /** A try that failed, and one that begins after such, are not worth a revision: they come with the next. */
    private static boolean isSameToPeople(Step before, Step now) {
        return before.status().equals(now.status())
                && before.progress()
                        .runs()
                        .keySet()
                        .equals(now.progress().runs().keySet());
    }

    /** A step has come to its end here. */
    CompletableFuture<Void> end(Turn turn, StepJob job, boolean hasSucceeded, RunEnd end) {
        return ledger.find(turn.tx(), job.document()).thenCompose(entry -> {
            Optional<Kept> before = entry.filter(found ->
                            found.standing() != Entry.Standing.DELETED && found.standing() != Entry.Standing.REFUSED)
                    .map(this::kept);
            CompletableFuture<Void> free = assignment.ended(turn, job);
            if (before.isEmpty()) {
                return free;
            }
            Step step = before.get().document().step(job.step());
            if (step.end(node, now(), hasSucceeded, end) instanceof Transition.To to) {
                send(turn, job.document(), before.get().entry().home());
                return free.thenCompose(nothing -> ended(turn, before.get(), to.document(), step));
            }
            return free;
        });
    }

    /** A job for a step has been taken up here, and there was nothing to do. */
    CompletableFuture<Void> left(Turn turn, StepJob job) {
        turn.review(job.document());
        return assignment.ended(turn, job);
    }

    private CompletableFuture<Void> ended(Turn turn, Kept before, JobDocument now, Step step) {
        boolean goesOn = !now.isEnded() && now.currentStep() != step.index() && !assignment.isJoined(step);
        CompletableFuture<Kept> next = goesOn
                ? assignment.next(turn, before.with(now), true)
                : CompletableFuture.completedFuture(before.with(now));
        return next.thenAccept(after -> save(turn, Optional.of(before), after));
    }

    /** All nodes have ended their part of a step. */
    CompletableFuture<Void> joined(Turn turn, StepJob job) {
        return ledger.find(turn.tx(), job.document()).thenCompose(entry -> {
            Optional<Kept> kept = entry.filter(Entry::isLive).map(this::kept);
            return kept.isEmpty()
                    ? done()
                    : assignment.next(turn, kept.get(), true).thenAccept(after -> save(turn, kept, after));
        });
    }

    // Keeping

    private Kept kept(Entry entry) {
        Reading reading = own.read(entry.body());
        if (reading instanceof Reading.Job job) {
            return new Kept(job.document(), entry);
        }
        throw new IllegalStateException(
                "What is kept of document " + entry.body().path("_id")
                        + " cannot be read with this node's configuration, which has to know all nodes that documents name: "
                        + reading);
    }

    private Kept save(Turn turn, Optional<Kept> before, Kept now) {
        JobDocument document = now.document();
        boolean isNew = before.isEmpty() || !before.get().document().equals(document);
        Entry.Standing standing = document.isEnded() ? Entry.Standing.ENDED : Entry.Standing.LIVE;
        Entry entry = isNew
                ? now.entry().with(DocumentWriter.write(document, now.entry().body()), standing)
                : now.entry();
        if (before.isEmpty() || !before.get().entry().equals(entry)) {
            save(turn, document.id(), entry);
        }
        return new Kept(document, entry);
    }

    private void save(Turn turn, String id, Entry entry) {
        ledger.put(turn.tx(), id, entry);
        if (!entry.isLive()) {
            ledger.forgetAt(turn.tx(), id, environment.clock().instant().plus(retention));
        }
    }

    private void send(Turn turn, String id, String home) {
        ledger.send(turn.tx(), assignment.writer(home), id, environment.random().nextLong());
    }

    private static Published published(Leaf leaf, List<String> losers) {
        return new Published(leaf.revision(), Digests.of(leaf.body()), losers);
    }

    private ZonedDateTime now() {
        return environment.clock().instant().atZone(ZoneId.systemDefault());
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    /** Takes in several. */
    CompletableFuture<Void> takeAll(Turn turn, List<StoredDocument> documents) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        documents.forEach(document -> all.add(take(turn, document)));
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }
}
