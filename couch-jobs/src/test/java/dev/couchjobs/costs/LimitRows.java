package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostRow.loop;
import static dev.couchjobs.costs.CostRow.verb;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Rate;
import java.time.Duration;
import java.util.List;

/** The verbs of limits, and what limit keys add to those of jobs. */
final class LimitRows {
    private static final String KEY = "tenant-7";
    private static final Rate RATE = Rate.perWindow(1, Duration.ofHours(1));

    private LimitRows() {}

    static List<CostRow> all() {
        return List.of(
                verb(
                        "`limits().set` of a key",
                        LimitRows::unlimited,
                        (s, db, key) -> s.jobs.limits().set(db, MAIL, key, 1)),
                verb(
                        "`limits().get`",
                        LimitRows::unlimited,
                        (s, db, key) -> s.jobs.limits().get(db, MAIL, key)),
                verb(
                        "`limits().pause`",
                        LimitRows::noLongerPaused,
                        (s, db, key) -> s.jobs.limits().pause(db, MAIL, key)),
                verb(
                        "`limits().resume` of a key with a job",
                        LimitRows::waitsForResumption,
                        (s, db, key) -> s.jobs.limits().resume(db, MAIL, key)),
                verb(
                        "`limits().pausedKeys`",
                        LimitRows::otherIsPaused,
                        (s, db, id) -> s.jobs.limits().pausedKeys(db, MAIL, PageRequest.of(10))),
                loop(
                        "`accept` of a type with a paused key",
                        LimitRows::otherIsPaused,
                        (s, id) -> accept(s),
                        reading("limits")),
                loop("`accept` that puts a job back", LimitRows::hasSlot, (s, id) -> accept(s), reading("limits")),
                verb(
                        "`limits().setRate` of a key",
                        LimitRows::noLongerRated,
                        (s, db, key) -> s.jobs.limits().setRate(db, MAIL, key, RATE)),
                verb(
                        "`limits().clearRate` of a key with a job that waits",
                        LimitRows::waitsForToken,
                        (s, db, key) -> s.jobs.limits().clearRate(db, MAIL, key)),
                loop(
                        "`accept` of a type with another key with a rate",
                        LimitRows::otherIsRated,
                        (s, id) -> accept(s),
                        reading("limits")),
                loop(
                        "`accept` of a job that uses a token",
                        LimitRows::hasToken,
                        (s, id) -> accept(s),
                        reading("limits")),
                loop(
                        "`accept` that finds no token for a job",
                        LimitRows::hasNoToken,
                        (s, id) -> accept(s),
                        reading("limits")),
                loop(
                        "`accept` that admits a job for a token",
                        LimitRows::hasTokenAgain,
                        (s, id) -> accept(s),
                        reading("token_waits")),
                verb(
                        "`limits().setTotal` of a type",
                        LimitRows::noLongerLimited,
                        (s, db, key) -> s.jobs.limits().setTotal(db, MAIL, 5)),
                loop(
                        "`accept` of a type with a limit",
                        LimitRows::ofLimitedType,
                        (s, id) -> accept(s),
                        reading("rules")),
                loop("`accept` of a type with a rate", LimitRows::ofRatedType, (s, id) -> accept(s), reading("rules")),
                verb("`add` of a job with a limit key", LimitRows::full, (s, db, job) -> s.jobs.add(db, job)),
                loop(
                        "`accept` of a job that gets a slot",
                        LimitRows::requestsSlot,
                        (s, id) -> accept(s),
                        reading("slot_requests")),
                loop(
                        "`accept` that finds no slot for a job",
                        LimitRows::requestsTakenSlot,
                        (s, id) -> accept(s),
                        reading("slot_requests")),
                verb(
                        "`finish` that passes a slot on",
                        LimitRows::runningBeforeOther,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`finish` that gives a slot back",
                        LimitRows::running,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`remove` of a job that waits for a slot",
                        LimitRows::waiting,
                        (s, db, id) -> s.jobs.remove(db, MAIL, id)),
                verb(
                        "`limits().setWeight`",
                        LimitRows::nothing,
                        (s, db, key) -> s.jobs.limits().setWeight(db, MAIL, key, 3)),
                verb("`add` of a job with a turn key", LimitRows::first, (s, db, job) -> s.jobs.add(db, job)),
                loop("`accept` of a job with a turn key", LimitRows::twoInTurn, (s, id) -> accept(s), reading("turns")),
                loop(
                        "`accept` of the last job of a turn key",
                        LimitRows::oneInTurn,
                        (s, id) -> accept(s),
                        reading("turns")),
                verb(
                        "`add` of the first job of a sequence",
                        LimitRows::firstOfSequence,
                        (s, db, job) -> s.jobs.add(db, job)),
                verb("`add` of a job behind others", LimitRows::secondOfSequence, (s, db, job) -> s.jobs.add(db, job)),
                verb(
                        "`finish` of the last job of a sequence",
                        LimitRows::lastOfSequence,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`finish` that lets the next job go",
                        LimitRows::runningOfSequence,
                        (s, db, job) -> s.jobs.processor().finish(db, job)));
    }

    private static NewJob<String> job(int number) {
        return NewJob.of(MAIL, DATA).id(CostFixture.id(number)).limitKey(KEY);
    }

    private static NewJob<String> inTurn(int number) {
        return NewJob.of(MAIL, DATA).id(CostFixture.id(number)).turnKey(KEY);
    }

    private static NewJob<String> inSequence(int number) {
        return NewJob.of(MAIL, DATA).id(CostFixture.id(number)).sequence(KEY);
    }

    /** The first sequence of all raises the layout. */
    private static NewJob<String> firstOfSequence(CostFixture s) {
        s.await(s.others.add(s.database(), inSequence(3).sequence("other").priority(-1)));
        return inSequence(1);
    }

    private static NewJob<String> secondOfSequence(CostFixture s) {
        s.await(s.others.add(s.database(), inSequence(1)));
        return inSequence(2);
    }

    private static Job<String> lastOfSequence(CostFixture s) {
        s.await(s.others.add(s.database(), inSequence(1)));
        return s.claimed();
    }

    private static Job<String> runningOfSequence(CostFixture s) {
        Job<String> running = lastOfSequence(s);
        s.await(s.others.add(s.database(), inSequence(2)));
        return running;
    }

    private static String nothing(CostFixture s) {
        return KEY;
    }

    /** The first turn key of all raises the layout. */
    private static NewJob<String> first(CostFixture s) {
        s.await(s.others.add(s.database(), inTurn(2).turnKey("other")));
        return inTurn(1);
    }

    /** The first claim of an instance learns that there are turns. */
    private static String twoInTurn(CostFixture s) {
        s.await(s.others.add(s.database(), inTurn(3)));
        accept(s);
        s.await(s.others.add(s.database(), inTurn(1)));
        s.await(s.others.add(s.database(), inTurn(2)));
        return KEY;
    }

    private static String oneInTurn(CostFixture s) {
        s.await(s.others.add(s.database(), inTurn(3)));
        accept(s);
        s.await(s.others.add(s.database(), inTurn(1)));
        return KEY;
    }

    private static void accept(CostFixture s) {
        s.await(s.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
    }

    /** The first limit of all raises the layout. */
    private static String noLongerLimited(CostFixture s) {
        s.await(s.others.limits().setTotal(s.database(), MAIL, 5));
        s.await(s.others.limits().clearTotal(s.database(), MAIL));
        return KEY;
    }

    /** The first pause of all raises the layout. */
    private static String noLongerPaused(CostFixture s) {
        s.await(s.others.limits().pause(s.database(), MAIL, KEY));
        s.await(s.others.limits().resume(s.database(), MAIL, KEY));
        return KEY;
    }

    private static String waitsForResumption(CostFixture s) {
        s.await(s.others.limits().pause(s.database(), MAIL, KEY));
        s.await(s.others.add(s.database(), job(1)));
        return KEY;
    }

    /** Adds a job. The claim of another one gives it a slot. */
    private static void addWithSlot(CostFixture s) {
        s.await(s.others.add(s.database(), job(1)));
        s.await(s.others.add(
                s.database(), NewJob.of(MAIL, DATA).id(CostFixture.id(9)).priority(9)));
        s.await(s.others.processor().accept(MAIL, AcceptOptions.nonBlocking()));
        s.await(s.others.remove(s.database(), MAIL, CostFixture.id(9)));
    }

    private static String otherIsPaused(CostFixture s) {
        addWithSlot(s);
        s.await(s.others.limits().pause(s.database(), MAIL, "other"));
        return KEY;
    }

    private static String hasSlot(CostFixture s) {
        addWithSlot(s);
        s.await(s.others.limits().pause(s.database(), MAIL, KEY));
        return KEY;
    }

    /** The first rate of all raises the layout. */
    private static String noLongerRated(CostFixture s) {
        s.await(s.others.limits().setRate(s.database(), MAIL, KEY, RATE));
        s.await(s.others.limits().clearRate(s.database(), MAIL, KEY));
        return KEY;
    }

    private static String otherIsRated(CostFixture s) {
        s.await(s.others.limits().setRate(s.database(), MAIL, "other", RATE));
        addWithSlot(s);
        return KEY;
    }

    private static String hasToken(CostFixture s) {
        s.await(s.others.limits().setRate(s.database(), MAIL, KEY, RATE));
        s.await(s.others.add(s.database(), job(1)));
        return KEY;
    }

    private static String hasNoToken(CostFixture s) {
        hasToken(s);
        s.claimed();
        s.await(s.others.add(s.database(), job(2)));
        return KEY;
    }

    private static String waitsForToken(CostFixture s) {
        hasNoToken(s);
        s.await(s.others.processor().accept(MAIL, AcceptOptions.nonBlocking()));
        return KEY;
    }

    private static String hasTokenAgain(CostFixture s) {
        waitsForToken(s);
        s.await(s.others.limits().setRate(s.database(), MAIL, KEY, Rate.perWindow(2, Duration.ofHours(1))));
        return KEY;
    }

    private static String ofLimitedType(CostFixture s) {
        s.await(s.others.limits().setTotal(s.database(), MAIL, 5));
        return s.pending();
    }

    private static String ofRatedType(CostFixture s) {
        s.await(s.others.limits().setRate(s.database(), MAIL, Rate.perWindow(5, Duration.ofHours(1))));
        return s.pending();
    }

    private static String unlimited(CostFixture s) {
        s.await(s.others.limits().clear(s.database(), MAIL, KEY));
        return KEY;
    }

    private static String requestsSlot(CostFixture s) {
        s.await(s.others.limits().set(s.database(), MAIL, KEY, 1));
        s.await(s.others.add(s.database(), job(1)));
        return KEY;
    }

    private static String requestsTakenSlot(CostFixture s) {
        requestsSlot(s);
        accept(s);
        s.await(s.others.add(s.database(), job(2)));
        return KEY;
    }

    private static NewJob<String> full(CostFixture s) {
        s.await(s.others.add(s.database(), job(1)));
        s.await(s.others.limits().set(s.database(), MAIL, KEY, 1));
        return job(2);
    }

    private static String waiting(CostFixture s) {
        NewJob<String> job = full(s);
        s.await(s.others.add(s.database(), job));
        return job.id().orElseThrow();
    }

    private static Job<String> running(CostFixture s) {
        s.await(s.others.limits().set(s.database(), MAIL, KEY, 1));
        s.await(s.others.add(s.database(), job(1)));
        return s.claimed();
    }

    private static Job<String> runningBeforeOther(CostFixture s) {
        Job<String> running = running(s);
        s.await(s.others.add(s.database(), job(2)));
        return running;
    }
}
