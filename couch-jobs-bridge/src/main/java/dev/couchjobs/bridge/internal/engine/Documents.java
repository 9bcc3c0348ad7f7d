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
import java.util.Collections;
import java.util.List;
import java.util.Map;
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

    /**
     * Takes in what this node's CouchDB has of documents.
     *
     * @param asked what was known of them before they were read
     * @return those that have to be read again, since this node has written to them meanwhile
     */
    CompletableFuture<List<String>> takeAll(
            Turn turn, List<StoredDocument> documents, Map<String, Optional<Published>> asked) {
        List<String> stale = Collections.synchronizedList(new ArrayList<>());
        return CompletableFuture.allOf(documents.stream()
                        .map(document ->
                                take(turn, document, asked.getOrDefault(document.id(), Optional.empty()), stale))
                        .toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> stale);
    }

    private CompletableFuture<Void> take(
            Turn turn, StoredDocument stored, Optional<Published> asked, List<String> stale) {
        String id = stored.id();
        if (stored.leaves().isEmpty()) { // not there yet, as on a node that others replicate to
            ledger.keep(turn.tx(), node, id);
            return done();
        }
        return ledger.find(turn.tx(), id)
                .thenCombine(ledger.published(turn.tx(), id), (entry, published) -> new Known(entry, published))
                .thenCompose(known -> {
                    if (known.hasGoneOnFrom(asked, stored.leaves().get(0))) {
                        stale.add(id);
                        return done();
                    }
                    return take(turn, stored, known);
                });
    }

    /** What is known of a document before it is looked at. */
    private record Known(Optional<Entry> entry, Optional<Published> published) {

        /** Whether what was read may be older than what was written since somebody asked for it. */
        boolean hasGoneOnFrom(Optional<Published> asked, Leaf leaf) {
            return !published.equals(asked)
                    && published
                            .filter(last -> last.generation() > leaf.generation())
                            .isPresent();
        }

        boolean is(Entry.Standing standing) {
            return entry.filter(kept -> kept.standing() == standing).isPresent();
        }

        boolean isLive() {
            return is(Entry.Standing.LIVE);
        }
    }

    private CompletableFuture<Void> take(Turn turn, StoredDocument stored, Known known) {
        Leaf winner = stored.leaves().get(0);
        if (winner.isDeleted()) {
            return deleted(turn, stored.id(), winner, known);
        }
        Reading reading = reader.read(winner.body());
        boolean isReplaced = isReplaced(stored, reading, known);
        Known kept = isReplaced ? new Known(Optional.empty(), known.published()) : known;
        if (kept.is(Entry.Standing.DELETED)) { // it is deleted where that counts, and here it will be
            return done();
        }
        if (reading instanceof Reading.Job job) {
            return kept.is(Entry.Standing.REFUSED) ? over(turn, stored, kept) : job(turn, stored, job.document(), kept);
        }
        if (reading instanceof Reading.Broken broken && broken.kind() == DocumentKind.JOB) {
            return broken(turn, stored, broken.reason(), broken.isEnded(), kept);
        }
        return kept.isLive()
                ? broken(turn, stored, "this is no job document any more", false, kept)
                : over(turn, stored, kept);
    }

    /** Whether a document is another one by now: made again after it was deleted, or mended after it was refused. */
    private boolean isReplaced(StoredDocument stored, Reading reading, Known known) {
        if (known.is(Entry.Standing.DELETED)) {
            return writes(known.entry().orElseThrow().home());
        }
        return known.is(Entry.Standing.REFUSED)
                && reading instanceof Reading.Job job
                && !job.document().isEnded()
                && !known.published()
                        .map(Published::revision)
                        .equals(Optional.of(stored.leaves().get(0).revision()));
    }

    private boolean writes(String home) {
        return assignment.writer(home).equals(node);
    }

    private CompletableFuture<Void> deleted(Turn turn, String id, Leaf tombstone, Known known) {
        if (known.entry().isEmpty() || known.is(Entry.Standing.DELETED)) {
            return done();
        }
        Entry kept = known.entry().get();
        if (!writes(kept.home())) { // another version may prevail where it is written
            return done();
        }
        LOG.info("Document {} was deleted{}", id, kept.isLive() ? "; its job ends" : "");
        ledger.published(turn.tx(), id, published(tombstone, List.of()));
        ledger.keep(turn.tx(), node, id);
        save(turn, id, kept.with(kept.body(), Entry.Standing.DELETED));
        turn.afterwards(() -> running.stop(id));
        return kept.isLive() ? stop(turn, kept(kept)) : done();
    }

    /** There is no job in it any more, and nothing to be said: what CouchDB has stays as it is, but for what conflicts. */
    private CompletableFuture<Void> over(Turn turn, StoredDocument stored, Known known) {
        if (known.entry().isPresent() && writes(known.entry().get().home())) {
            Entry kept = known.entry().get();
            Leaf winner = stored.leaves().get(0);
            ledger.published(turn.tx(), stored.id(), published(winner, losers(stored)));
            save(turn, stored.id(), kept.with(winner.body(), Entry.Standing.REFUSED));
            if (stored.leaves().size() > 1) {
                send(turn, stored.id(), kept.home());
            } else {
                ledger.keep(turn.tx(), node, stored.id());
            }
        }
        return done();
    }

    /** Ends what cannot be run, if that is for this node to say, and writes the reason into the document as it is. */
    private CompletableFuture<Void> broken(
            Turn turn, StoredDocument stored, String reason, boolean isEnded, Known known) {
        Leaf leaf = stored.leaves().get(0);
        String id = stored.id();
        String home = known.entry().map(Entry::home).orElseGet(() -> homeOf(leaf.body()));
        if (isEnded && !known.isLive()) {
            return over(turn, stored, known);
        }
        // Who judges may have said so to all before this node has heard of it.
        boolean isMine = assignment.judges(home, known.entry().isPresent());
        if (!isEnded && !isMine) {
            return done();
        }
        LOG.warn("Document {} cannot be run: {}", id, reason);
        if (writes(home)) {
            ledger.published(turn.tx(), id, published(leaf, losers(stored)));
        }
        ObjectNode body = isEnded ? leaf.body() : DocumentWriter.refuse(leaf.body(), reason);
        save(turn, id, new Entry(body, home, Entry.Standing.REFUSED, OptionalLong.empty()));
        send(turn, id, home);
        turn.afterwards(() -> running.stop(id));
        return known.isLive() ? stop(turn, kept(known.entry().orElseThrow())) : done();
    }

    private static List<String> losers(StoredDocument stored) {
        return stored.leaves().stream().skip(1).map(Leaf::revision).toList();
    }

    private CompletableFuture<Void> stop(Turn turn, Kept before) {
        return assignment.gone(turn, before).thenCompose(gone -> assignment.stop(turn, before));
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
            return broken(turn, stored, differ.reason(), shown.isEnded(), known);
        }
        JobDocument now = ((Merged.Joined) merged).document();
        Kept after = before.map(kept -> kept.with(now))
                .orElseGet(
                        () -> new Kept(now, Entry.live(winner.body(), now.plan().creator())));
        boolean writes = writes(after.entry().home());
        if (writes) {
            ledger.published(turn.tx(), stored.id(), published(winner, losers(stored)));
        }
        return settle(turn, before, after).thenAccept(settled -> {
            JobDocument said = after.entry().home().equals(node) ? shown : ((Merged.Joined) seen).document();
            boolean hasLosers =
                    stored.leaves().size() > 1 && after.entry().home().equals(node);
            boolean isBehind = hasLosers || News.between(said, settled.document());
            boolean isNews = !settled.document().equals(now); // which others may have to write
            if (isNews || (isBehind && writes)) {
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
        if (now.document().isEnded()) {
            return settleEnded(turn, before, now);
        }
        boolean isOther = before.isPresent() && !isSameRound(before.get().document(), now.document());
        CompletableFuture<Void> stopped = isOther ? assignment.stop(turn, before.get()) : done();
        return stopped.thenCompose(nothing -> assignment.next(turn, now, before.isEmpty() || isOther))
                .thenApply(next -> save(turn, before, next));
    }

    private static boolean isSameRound(JobDocument before, JobDocument now) {
        int step = before.currentStep();
        return step == now.currentStep()
                && before.step(step).round() == now.step(step).round();
    }

    private CompletableFuture<Kept> settleEnded(Turn turn, Optional<Kept> before, Kept now) {
        Optional<Kept> live = before.filter(kept -> kept.entry().isLive());
        boolean runsOn = isBorneOut(now.document()); // other nodes' parts of a step may still run to their end
        Kept after = before.isPresent() && runsOn ? now : now.with(stopped(now.document()));
        if (!runsOn) {
            turn.afterwards(() -> running.stop(now.document().id()));
        }
        CompletableFuture<Void> gone =
                live.isEmpty() ? done() : runsOn ? assignment.gone(turn, live.get()) : stop(turn, live.get());
        return gone.thenApply(nothing -> save(turn, before, after));
    }

    /** Says of what runs of a job that has ended that it does so no longer, as far as that is for this node to say. */
    private JobDocument stopped(JobDocument ended) {
        JobDocument now = ended;
        for (int step = 0; step < ended.plan().steps().size(); step++) {
            for (String runner : ended.step(step).progress().runs().keySet()) {
                if (assignment.speaksFor(runner)
                        && now.step(step).end(runner, now(), false, RunEnd.stopped("the job had ended"))
                                instanceof Transition.To to) {
                    now = to.document();
                }
            }
        }
        return now;
    }

    /** Whether a job has ended by what became of its steps, and not by somebody's word. */
    private static boolean isBorneOut(JobDocument ended) {
        return IntStream.range(0, ended.plan().steps().size())
                        .mapToObj(step -> ended.step(step).progress().runs().values())
                        .anyMatch(runs -> runs.stream().anyMatch(Run::hasFailed))
                || ended.currentStep() == ended.plan().steps().size();
    }

    // What becomes of steps

    /** What a step needs to be run. */
    record Begun(Step step, int tries, ZonedDateTime since) {}

    /** A job for a step has been taken up here. {@return the step, or empty if there is nothing to do any more} */
    CompletableFuture<Optional<Begun>> begin(Turn turn, StepJob job, String worker) {
        String executioner = Step.executioner(node, worker);
        return change(turn, job, true, document -> {
            Step step = document.step(job.step());
            boolean hasBegun = step.progress()
                    .run(node)
                    .filter(run -> run.isRunning() && run.executioner().equals(executioner))
                    .isPresent();
            return hasBegun // by a commit of which nobody knew whether it had happened
                    ? new Transition.To(document)
                    : assignment.begin(step, job, executioner, now());
        });
    }

    /**
     * A try has failed, and another will follow, or the alternative.
     *
     * @param goesOn whether that is at once
     * @return empty if there is nothing to do any more
     */
    CompletableFuture<Optional<Begun>> tried(Turn turn, StepJob job, Begun begun, boolean goesOn) {
        return change(turn, job, goesOn, document -> {
            Step step = document.step(job.step());
            boolean isCounted = step.progress()
                    .run(node)
                    .filter(run -> run.tries() > begun.tries())
                    .isPresent();
            return isCounted ? new Transition.To(document) : step.tried(node); // see begin
        });
    }

    /** How one thing that happens to a step changes its document. */
    private interface Change {
        Transition of(JobDocument document);
    }

    private CompletableFuture<Optional<Begun>> change(Turn turn, StepJob job, boolean goesOn, Change change) {
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
            assignment.goesOn(turn, job, goesOn);
            if (News.between(before.get().document(), now)) {
                send(turn, job.document(), before.get().entry().home());
            }
            return now.step(job.step())
                    .progress()
                    .run(node)
                    .map(run -> new Begun(
                            now.step(job.step()), run.tries(), run.start().orElseGet(this::now)));
        });
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
        return ledger.find(turn.tx(), job.document()).thenCompose(entry -> {
            entry.filter(found -> found.standing() == Entry.Standing.ENDED)
                    .map(this::kept)
                    .ifPresent(kept -> leftRunning(turn, job, kept));
            return assignment.ended(turn, job);
        });
    }

    /** It was to go on with what had begun here before the job ended. */
    private void leftRunning(Turn turn, StepJob job, Kept kept) {
        if (kept.document().step(job.step()).end(node, now(), false, RunEnd.stopped("the job had ended"))
                instanceof Transition.To to) {
            save(turn, Optional.of(kept), kept.with(to.document()));
            send(turn, job.document(), kept.entry().home());
        }
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
}
