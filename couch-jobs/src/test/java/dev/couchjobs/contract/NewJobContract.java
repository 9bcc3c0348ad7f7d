package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Features A1 and E5: jobs with whatever they ask for, and ids that are made without coordination. */
class NewJobContract extends JobsContract {

    @Test
    void aJobWithoutAnIdGetsOneAndMayRunAtOnce() {
        String id = await(jobs.add(database, INDEX, new WorkData(7))).jobId();

        Job<WorkData> job = accept();
        assertThat(job.id()).isEqualTo(id);
        assertThat(job.data()).isEqualTo(new WorkData(7));
        assertThat(job.scheduledTime()).isEmpty();
    }

    @Test
    void aJobHasTheIdAndTheTimeItAsksFor() {
        String id = await(jobs.add(
                        database, NewJob.of(INDEX, new WorkData(1)).id("j1").at(NOON.plusMillis(1))))
                .jobId();

        assertThat(id).isEqualTo("j1");
        assertThat(scheduledTimeOf("j1")).contains(NOON.plusSeconds(1));
    }

    @Test
    void addingWithoutAnIdTwiceMakesTwoJobs() {
        NewJob<WorkData> job = NewJob.of(INDEX, new WorkData(1));

        String one = await(jobs.add(database, job)).jobId();
        String other = await(jobs.add(database, job)).jobId();

        assertThat(one).isNotEqualTo(other);
        assertThat(stateOf(one)).isEqualTo(JobState.PENDING);
        assertThat(stateOf(other)).isEqualTo(JobState.PENDING);
    }

    @Test
    void addingWithAnIdMadeBeforehandTwiceMakesOneJob() {
        NewJob<WorkData> job = NewJob.of(INDEX, new WorkData(1)).id(jobs.newJobId());

        await(jobs.add(database, job));
        await(jobs.add(database, job));

        accept();
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void anIdIsATimeOrderedUuidOfTheInstancesClock() {
        CouchJobs node = node(new SettableClock(NOON));

        UUID id = UUID.fromString(node.newJobId());

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16)).isEqualTo(NOON);
    }

    @Test
    void idsSortAsTheyWereMadeAlsoWhenTheClockStandsStillOrGoesBack() {
        SettableClock clock = new SettableClock(NOON);
        CouchJobs node = node(clock);
        List<String> ids = new ArrayList<>();

        for (int i = 0; i < 3_000; i++) {
            ids.add(node.newJobId());
            if (i == 1_000) {
                clock.advance(Duration.ofHours(-1));
            } else if (i == 2_000) {
                clock.advance(Duration.ofHours(2));
            }
        }

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(UUID.fromString(ids.get(2_999)).getMostSignificantBits() >>> 16)
                .isEqualTo(NOON.plus(Duration.ofHours(1)).toEpochMilli());
    }

    @Test
    void twoInstancesMakeDifferentIdsInTheSameMillisecond() {
        SettableClock clock = new SettableClock(NOON);

        assertThat(node(clock).newJobId()).isNotEqualTo(node(clock).newJobId());
    }

    @Test
    void jobsWithoutIdsRunFirstInFirstOut() {
        List<String> added = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            added.add(await(jobs.add(database, INDEX, new WorkData(i))).jobId());
        }

        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            taken.add(accept().id());
        }
        assertThat(taken).isEqualTo(added);
    }

    @Test
    void anAddedJobJoinsTheCallersTransaction() {
        try (var tx = database.createTransaction()) {
            assertThat(await(jobs.add(tx, NewJob.of(INDEX, new WorkData(1)).id("j1")))
                            .jobId())
                    .isEqualTo("j1");
            assertThat(await(jobs.getJobState(tx, INDEX, "j1"))).isEqualTo(JobState.PENDING);
        }

        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aTypeHasATimeoutOfThirtySecondsByDefault() {
        JobType<WorkData, ?> plain = JobType.of("plain", WorkData.class);

        await(jobs.add(database, plain, new WorkData(1)));

        assertThat(await(jobs.types().getTypeTimeout(database, plain))).contains(Duration.ofSeconds(30));
    }

    @Test
    void whatMakesNoSenseIsRefusedByTheCallThatSaysIt() {
        NewJob<WorkData> job = NewJob.of(INDEX, new WorkData(1));

        assertThatThrownBy(() -> job.id("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> job.id("x".repeat(1_001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001");
        assertThatThrownBy(() -> job.id("half \ud83d")).hasMessageContaining("surrogate");
        assertThatThrownBy(() -> JobType.of("half \ud83d", WorkData.class)).hasMessageContaining("surrogate");
        assertThatThrownBy(() -> job.after(INDEX, "x".repeat(1_001))).hasMessageContaining("1001");
        assertThatThrownBy(() -> new Dependency("x".repeat(501), "j1", DependencyPolicy.WAIT))
                .hasMessageContaining("501");
        assertThatThrownBy(() -> job.at(Instant.EPOCH.minusSeconds(1))).hasMessageContaining("1970");
        assertThatThrownBy(() -> jobs.getJobState(database, INDEX, "\udc00"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void idsMayBeAnyTextWithoutControlCharacters() {
        for (String id : List.of("\uffff", "\ud83d\ude00", "...", " ", "x".repeat(1_000))) {
            await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id(id)));

            assertThat(accept().id()).isEqualTo(id);
        }
    }

    @Test
    void whatANewJobSaysCanBeReadFromIt() {
        NewJob<WorkData> plain = NewJob.of(INDEX, new WorkData(1));
        NewJob<WorkData> job = plain.id("j1").at(NOON);

        assertThat(plain.id()).isEmpty();
        assertThat(plain.at()).isEmpty();
        assertThat(job.id()).contains("j1");
        assertThat(job.at()).contains(NOON);
        assertThat(job.type()).isEqualTo(INDEX);
        assertThat(job.data()).isEqualTo(new WorkData(1));
        assertThat(job).hasToString("NewJob[index/j1]");
    }

    @Test
    void aRandomnessThatStandsStillStillMakesDifferentIds() {
        Environment system = Environment.system();
        CouchJobs node = node(new Environment(new SettableClock(NOON), system.scheduler(), () -> 0L));

        List<String> ids = List.of(node.newJobId(), node.newJobId(), node.newJobId());

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }
}
