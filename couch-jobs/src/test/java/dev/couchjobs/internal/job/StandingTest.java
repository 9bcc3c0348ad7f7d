package dev.couchjobs.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AttemptEnd;
import dev.couchjobs.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StandingTest {
    private static final long NOW = 1_000_000;
    private static final long LATER = 5_000;
    private static final SequencePlace BEHIND = new SequencePlace("s", 1, false, true);
    private static final SequencePlace CURRENT = new SequencePlace("s", 1, false, false);

    static Stream<Arguments> jobs() {
        JobOptions plain = JobOptions.NONE;
        JobOptions ranked = JobOptions.withOptions(3, NOW, null, JobKeys.NONE);
        JobOptions limited = JobOptions.withOptions(0, NOW, null, keys("l", null, null, null));
        JobOptions turn = JobOptions.withOptions(0, NOW, null, keys(null, "t", null, null));
        JobOptions held = JobOptions.withOptions(0, NOW, null, keys(null, null, BEHIND, null));
        JobOptions current = JobOptions.withOptions(0, NOW, null, keys(null, null, CURRENT, null));
        JobOptions closing = JobOptions.withOptions(0, NOW, null, keys(null, null, null, BatchPlace.ofClosing("b")));
        return Stream.of(
                row("an added job", job(plain, 0), new Standing.Due(null, null, false)),
                row("one with a priority", job(ranked, 0), new Standing.Due(null, null, true)),
                row("one with a limit key", job(limited, 0), new Standing.Due("l", null, false)),
                row("one with a turn key", job(turn, 0), new Standing.Due(null, "t", true)),
                row("the first of a sequence", job(current, 0), new Standing.Due(null, null, false)),
                row("a scheduled job", job(plain, LATER), new Standing.Later(LATER, false, false, false)),
                row("… with a priority", job(ranked, LATER), new Standing.Later(LATER, false, true, false)),
                row("… with a limit key", job(limited, LATER), new Standing.Later(LATER, true, true, false)),
                row("… that a claim has moved", job(limited, LATER).dueNow(), new Standing.Due("l", null, false)),
                row("a dependent", job(plain.blocked(true), 0), new Standing.Blocked(true, false, false)),
                row("a scheduled one", job(plain.blocked(true), LATER), new Standing.Blocked(true, false, false)),
                row("one behind others", job(held, 0), new Standing.Blocked(false, true, false)),
                row("a dependent behind others", job(held.blocked(true), 0), new Standing.Blocked(true, true, false)),
                row("a closing job", job(closing, 0), new Standing.Blocked(false, false, true)),
                row("a claimed job", claimed(plain), new Standing.Running(null)),
                row("one with a limit key", claimed(limited), new Standing.Running("l")),
                row("a job that succeeded", ended(AttemptEnd.SUCCEEDED), new Standing.Ended(Outcome.SUCCEEDED)),
                row("one that was cancelled", ended(AttemptEnd.CANCELLED), new Standing.Ended(Outcome.CANCELLED)),
                row(
                        "one to be tried again",
                        claimed(plain).retried(LATER, ClaimEnd.of(AttemptEnd.FAILED, NOW, "no")),
                        new Standing.Later(LATER, false, false, true)));
    }

    private static Arguments row(String name, JobRow job, Standing standing) {
        return Arguments.of(name, job, standing);
    }

    private static JobKeys keys(
            @Nullable String limit,
            @Nullable String turn,
            @Nullable SequencePlace sequence,
            @Nullable BatchPlace batch) {
        return new JobKeys(limit, turn, null, sequence, JobKeys.NO_DEADLINE, batch, List.of(), Map.of());
    }

    private static JobRow job(JobOptions options, long scheduledTime) {
        return JobRow.added(Payload.of("{}".getBytes(StandardCharsets.UTF_8)), scheduledTime, options);
    }

    private static JobRow claimed(JobOptions options) {
        return job(options, 0).claimed(UUID.randomUUID(), "here", NOW, false, true, 0);
    }

    private static JobRow ended(AttemptEnd how) {
        return claimed(JobOptions.NONE).finished(ClaimEnd.of(how, NOW, null));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobs")
    void aJobStandsWhereItsRowSays(String name, JobRow job, Standing standing) {
        assertThat(Standing.of(job)).isEqualTo(standing);
        assertThat(standing.<Standing>match(one -> one, one -> one, one -> one, one -> one, one -> one))
                .isSameAs(standing);
    }
}
