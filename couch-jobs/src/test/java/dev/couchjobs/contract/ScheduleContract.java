package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Feature A5, and ScheduledTime of A1: when {@code accept} hands out jobs that are dated in the future. */
class ScheduleContract extends JobsContract {
    private SettableClock clock;
    private CouchJobs timed;

    @BeforeEach
    void openAtNoon() {
        clock = new SettableClock(NOON);
        timed = node(clock);
    }

    private Optional<Job<WorkData>> acceptDue() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    @Test
    void aJobDatedInTheFutureIsNotHandedOutByDefault() {
        addAt("j1", 1, NOON.plusSeconds(1));
        assertThat(acceptDue()).isEmpty();

        clock.advance(Duration.ofMillis(999));
        assertThat(acceptDue()).isEmpty();

        clock.advance(Duration.ofMillis(1));
        assertThat(acceptDue().orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void oneWhoWaitsGetsAJobAsSoonAsItIsDue() {
        addAt("j1", 1, NOON.plusSeconds(1));
        clock.advance(Duration.ofMillis(990));
        CompletableFuture<Optional<Job<WorkData>>> waiting = timed.processor().accept(INDEX);
        assertThat(acceptDue()).isEmpty();
        assertThat(waiting).isNotDone();

        clock.advance(Duration.ofMillis(10));

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void oneWhoWaitsLearnsOfAnEarlierTime() {
        addAt("late", 1, NOON.plusSeconds(86_400));
        CompletableFuture<Optional<Job<WorkData>>> waiting = timed.processor().accept(INDEX);
        assertThat(acceptDue()).isEmpty();

        addAt("due", 1, NOON);

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("due");
    }

    @Test
    void onTheSystemsClockAJobIsHandedOutAtItsTime() {
        Instant soon = Instant.now().plusSeconds(1);
        addAt("j1", 1, soon);

        Job<WorkData> job = await(jobs.processor().accept(INDEX)).orElseThrow();

        assertThat(Instant.now()).isAfterOrEqualTo(job.scheduledTime().orElseThrow());
    }

    @Test
    void dueJobsAreHandedOutEarliestFirst() {
        addAt("c", 1, NOON.minusSeconds(30));
        addAt("a", 1, NOON.minusSeconds(10));
        addAt("b", 1, NOON.minusSeconds(20));

        assertThat(IntStream.range(0, 3).mapToObj(i -> acceptDue().orElseThrow().id()))
                .containsExactly("c", "b", "a");
    }

    @Test
    void aDueJobIsNotKeptWaitingByAStreamOfJobsWithoutSchedule() {
        addAt("due", 1, NOON);

        // A job without a scheduled time stands before it in the queue all the time.
        List<String> taken = new ArrayList<>();
        for (int i = 0; !taken.contains("due"); i++) {
            add("now " + i, 1);
            add("more " + i, 1);
            taken.add(acceptDue().orElseThrow().id());
        }

        assertThat(taken).endsWith("due");
    }

    @Test
    void maxSchedTimeTakesWhatIsScheduledUpToThen() {
        addAt("j1", 1, Instant.ofEpochSecond(5_000));
        addAt("j2", 1, Instant.ofEpochSecond(3_000));

        assertThat(acceptUpTo(1_000)).isEmpty();
        assertThat(acceptUpTo(3_000).orElseThrow().id()).isEqualTo("j2");
        assertThat(acceptUpTo(4_999)).isEmpty();
        assertThat(acceptUpTo(9_000).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void maxSchedTimeTakesIdsThatSortLastAtExactlyThatTime() {
        List<String> last = List.of("\uDBFF\uDFFF", "\uFFFF", "\u00FF", "~");
        last.forEach(id -> addAt(id, 1, Instant.ofEpochSecond(3_000)));

        assertThat(IntStream.range(0, 4)
                        .mapToObj(i -> acceptUpTo(3_000).orElseThrow().id()))
                .containsExactlyInAnyOrderElementsOf(last);
    }

    @Test
    void maxSchedTimeWaitsForAJobUpToThen() {
        AcceptOptions options = AcceptOptions.defaults().maxSchedTime(NOON.plusSeconds(100));
        CompletableFuture<Optional<Job<WorkData>>> waiting = timed.processor().accept(INDEX, options);
        assertThat(acceptDue()).isEmpty();

        addAt("later", 1, NOON.plusSeconds(101));
        assertThat(acceptDue()).isEmpty();
        assertThat(waiting).isNotDone();
        addAt("then", 1, NOON.plusSeconds(100));

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("then");
    }

    @Test
    void maxSchedTimeAndNoScheduleExcludeEachOther() {
        AcceptOptions noSchedule = AcceptOptions.defaults().noSchedule();
        AcceptOptions upToNoon = AcceptOptions.defaults().maxSchedTime(NOON);

        assertThatThrownBy(() -> noSchedule.maxSchedTime(NOON)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(upToNoon::noSchedule).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noScheduleLeavesScheduledJobsAlone() {
        addAt("due", 1, NOON.minusSeconds(1));

        AcceptOptions noSchedule = AcceptOptions.nonBlocking().noSchedule();
        assertThat(await(timed.processor().accept(INDEX, noSchedule))).isEmpty();
        assertThat(acceptDue().orElseThrow().id()).isEqualTo("due");
    }

    private Optional<Job<WorkData>> acceptUpTo(long seconds) {
        AcceptOptions options = AcceptOptions.nonBlocking().maxSchedTime(Instant.ofEpochSecond(seconds));
        return await(timed.processor().accept(INDEX, options));
    }
}
