package dev.couchjobs.contract;

import static dev.couchjobs.AddResult.Change.ADDED;
import static dev.couchjobs.AddResult.Change.REPLACED;
import static dev.couchjobs.AddResult.Change.RESUBMITTED;
import static dev.couchjobs.AddResult.Change.RUN_AGAIN;
import static dev.couchjobs.AddResult.Change.UNCHANGED;
import static dev.couchjobs.AddResult.GivenData.DISCARDED;
import static dev.couchjobs.AddResult.GivenData.STORED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AddResult;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import dev.couchjobs.Unique;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code add} says that it did, and jobs that are added only if there is none. */
class AddResultContract extends JobsContract {
    private static NewJob<WorkData> job(int step) {
        return NewJob.of(INDEX, new WorkData(step)).id("j1");
    }

    private AddResult.Change add(NewJob<WorkData> job) {
        AddResult result = await(jobs.add(database, job));
        assertThat(result.jobId()).isEqualTo("j1");
        return result.change();
    }

    /** Brings the job into a state, with data 1. */
    private void bring(JobState state) {
        if (state != JobState.NOT_FOUND) {
            add("j1", 1);
        }
        if (state == JobState.RUNNING || state == JobState.FINISHED) {
            Job<WorkData> claim = accept();
            if (state == JobState.FINISHED) {
                await(jobs.processor().finish(database, claim));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NOT_FOUND,ADDED,STORED",
        "PENDING,REPLACED,STORED",
        "RUNNING,RESUBMITTED,DISCARDED",
        "FINISHED,RUN_AGAIN,STORED"
    })
    void addSaysWhatItDid(JobState state, AddResult.Change change, AddResult.GivenData data) {
        bring(state);

        assertThat(await(jobs.add(database, INDEX, "j1", new WorkData(2))))
                .isEqualTo(new AddResult("j1", change, data));
    }

    /** What the next run of the job has, as the result says. */
    @ParameterizedTest
    @EnumSource(JobState.class)
    void theResultSaysWhatBecomesOfTheDataHoweverTheJobIsAdded(JobState state) {
        Unique rule = Unique.by("key");
        List<UnaryOperator<NewJob<WorkData>>> ways = List.of(
                job -> job,
                NewJob::ifAbsent,
                NewJob::ifAbsentOrFinished,
                job -> job.unique(rule),
                job -> job.unique(rule.whileKept()),
                job -> job.unique(rule.replacing()),
                job -> job.id("another").unique(rule),
                job -> job.id("another").unique(rule.replacing()),
                job -> job.id("another").unique(rule.replacing()).ifAbsent(),
                job -> job.id("another").unique(rule.replacing().whileKept()),
                job -> job.at(Instant.now().minusSeconds(60)));
        for (int way = 0; way < ways.size(); way++) {
            boolean inBatch = way % 2 == 0;
            checkData(state, ways.get(way), inBatch, "way " + way + " of " + state + (inBatch ? " in a batch" : ""));
        }
    }

    private void checkData(JobState state, UnaryOperator<NewJob<WorkData>> way, boolean inBatch, String what) {
        all(database, INDEX).forEach(job -> await(jobs.remove(database, INDEX, job.jobId())));
        Optional<Job<WorkData>> running = Optional.empty();
        if (state != JobState.NOT_FOUND) {
            await(jobs.add(database, job(1).unique(Unique.by("key"))));
        }
        if (state == JobState.RUNNING || state == JobState.FINISHED) {
            running = Optional.of(accept());
        }
        if (state == JobState.FINISHED) {
            await(jobs.processor().finish(database, running.orElseThrow()));
            running = Optional.empty();
        }
        for (int step = 2; step <= 3; step++) {
            NewJob<WorkData> job = way.apply(job(step));
            AddResult result =
                    inBatch ? await(jobs.addAll(database, List.of(job))).get(0) : await(jobs.add(database, job));
            boolean isForNextRun = result.givenData() == AddResult.GivenData.NEXT_RUN;
            boolean isStored = result.givenData() != AddResult.GivenData.DISCARDED;
            assertThat(isForNextRun).as(what).isEqualTo(isStored && running.isPresent());
            assertThat(stepOf(result.jobId()) == step).as(what).isEqualTo(isStored);
        }
        running.ifPresent(claim -> {
            int step = stepOf("j1");
            await(jobs.processor().finish(database, claim, new WorkData(9)));
            boolean isFlagged = stateOf("j1") == JobState.PENDING;
            assertThat(stepOf("j1")).as(what).isEqualTo(step == 1 ? 9 : step);
            assertThat(isFlagged || step == 1).as(what).isTrue();
        });
    }

    @Test
    void addSaysThatItChangedNothing() {
        add("j1", 1);
        assertThat(add(job(1))).isEqualTo(UNCHANGED);

        accept();
        assertThat(add(job(2))).isEqualTo(RESUBMITTED);
        assertThat(add(job(2))).isEqualTo(UNCHANGED);
        assertThat(add(job(2).at(NOON))).isEqualTo(RESUBMITTED);
    }

    @Test
    void addSaysThatItReplacedWhatIsAskedForBesideTheData() {
        add("j1", 1);

        assertThat(add(job(1).priority(3))).isEqualTo(REPLACED);
        assertThat(add(job(1).priority(3).at(NOON))).isEqualTo(REPLACED);
    }

    @Test
    void addSaysWhatItDidInTheCallersTransaction() {
        List<AddResult> results = database.run(tx -> List.of(
                await(jobs.add(tx, job(1))),
                await(jobs.add(tx, job(1))),
                await(jobs.add(tx, job(2))),
                await(jobs.add(tx, job(3).ifAbsent()))));

        assertThat(results).extracting(AddResult::change).containsExactly(ADDED, UNCHANGED, REPLACED, UNCHANGED);
    }

    @Test
    void aBatchSaysWhatItDidJobByJob() {
        add("pending", 1);
        accepted("a running", 1);
        await(jobs.processor().finish(database, accepted("a finished", 1)));
        List<NewJob<WorkData>> all = List.of(
                NewJob.of(INDEX, new WorkData(2)).id("new"),
                NewJob.of(INDEX, new WorkData(2)).id("last").after(INDEX, "new"),
                NewJob.of(INDEX, new WorkData(2)).id("pending"),
                NewJob.of(INDEX, new WorkData(2)).id("a running"),
                NewJob.of(INDEX, new WorkData(2)).id("a finished"),
                NewJob.of(INDEX, new WorkData(2)).id("new"),
                NewJob.of(INDEX, new WorkData(3)).id("new").ifAbsent());

        List<AddResult> results = await(jobs.addAll(database, all));

        assertThat(results)
                .containsExactly(
                        new AddResult("new", ADDED, STORED),
                        new AddResult("last", ADDED, STORED),
                        new AddResult("pending", REPLACED, STORED),
                        new AddResult("a running", RESUBMITTED, DISCARDED),
                        new AddResult("a finished", RUN_AGAIN, STORED),
                        new AddResult("new", UNCHANGED, STORED),
                        new AddResult("new", UNCHANGED, DISCARDED));
        assertThat(stepOf("new")).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"PENDING", "RUNNING", "FINISHED"})
    void aJobThatIsAddedIfAbsentLeavesOneThatIsThereAlone(JobState state) {
        bring(state);

        assertThat(add(job(2).at(NOON).priority(3).ifAbsent())).isEqualTo(UNCHANGED);

        assertThat(stateOf("j1")).isEqualTo(state);
        assertThat(stepOf("j1")).isEqualTo(1);
        assertThat(scheduledTimeOf("j1")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"PENDING,UNCHANGED,1", "RUNNING,UNCHANGED,1", "FINISHED,RUN_AGAIN,2"})
    void aJobThatIsAddedIfAbsentOrFinishedLeavesOneThatIsNotFinishedAlone(
            JobState state, AddResult.Change change, int step) {
        bring(state);

        assertThat(add(job(2).ifAbsentOrFinished())).isEqualTo(change);

        assertThat(stepOf("j1")).isEqualTo(step);
    }

    @Test
    void aJobThatIsNotThereIsAddedIfAbsent() {
        assertThat(add(job(1).ifAbsent())).isEqualTo(ADDED);
        await(jobs.remove(database, INDEX, "j1"));
        assertThat(add(job(1).ifAbsentOrFinished())).isEqualTo(ADDED);
    }

    @Test
    void aRunningJobThatIsLeftAloneDoesNotRunOnceMore() {
        Job<WorkData> claim = accepted("j1", 1);

        add(job(2).ifAbsent());
        await(jobs.processor().finish(database, claim));

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
    }

    @ParameterizedTest
    @CsvSource({"PENDING", "RUNNING", "FINISHED"})
    void aJobThatIsLeftAloneBeginsToWaitForNoOther(JobState state) {
        bring(state);
        await(jobs.add(database, MAIL, "m1", new WorkData(1)));

        assertThat(add(job(2).after(MAIL, "m1", "never").ifAbsent())).isEqualTo(UNCHANGED);
        assertThat(await(jobs.addAll(database, List.of(job(2).after(MAIL, "m1").ifAbsent()))))
                .containsExactly(new AddResult("j1", UNCHANGED, DISCARDED));

        assertThat(stateOf("j1")).isEqualTo(state);
        StoredRows rows = new StoredRows(database, prefix);
        assertThat(rows.under("waits_for")).isEmpty();
        assertThat(rows.under("dependents")).isEmpty();
    }

    @Test
    void ofTwoThatAddAJobIfAbsentAtOnceOneAddsIt() {
        try (var one = database.createTransaction();
                var other = database.createTransaction()) {
            assertThat(await(jobs.add(one, job(1).ifAbsent())).change()).isEqualTo(ADDED);
            assertThat(await(jobs.add(other, job(2).ifAbsent())).change()).isEqualTo(ADDED);
            await(one.commit());
            assertThat(failureOf(other.commit())).hasMessageContaining("not committed");
        }
        assertThat(stepOf("j1")).isEqualTo(1);
    }

    @Test
    void aJobSaysWhichOthersItLeavesAlone() {
        NewJob<WorkData> plain = job(1);

        assertThat(JobState.values()).noneMatch(plain::leavesAlone);
        assertThat(JobState.values())
                .filteredOn(plain.ifAbsentOrFinished()::leavesAlone)
                .containsExactly(JobState.PENDING, JobState.RUNNING);
        assertThat(plain.ifAbsentOrFinished().ifAbsent().leavesAlone(JobState.FINISHED))
                .isTrue();
    }
}
