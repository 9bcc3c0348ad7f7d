package dev.couchjobs.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.job.BatchPlace;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.Firing;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobOptions;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.job.SequencePlace;
import dev.couchjobs.internal.job.UniqueKey;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whichever way a claim goes back to the queue, the job keeps what its creator gave it. A job whose work has begun has
 * met its deadline; nothing else is lost.
 */
class ReturnedClaimsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final JobType<String, Void> TYPE = JobType.of("mail", String.class);
    private static final RowTransitions TRANSITIONS =
            new RowTransitions(Clock.fixed(NOW, ZoneOffset.UTC), new Random(1));
    private static final Payload PAYLOAD = Payload.of("\"a\"".getBytes(StandardCharsets.UTF_8));

    /** Each field has another value than in a job without options. */
    private static final JobOptions OPTIONS = new JobOptions(
            7,
            NOW.toEpochMilli(),
            false,
            false,
            RetryPolicy.standard().attempts(4),
            new DependencyState(11, 12, 13, true, 14),
            5,
            new Firing("nightly", NOW.getEpochSecond(), Firing.Next.AT_END),
            new JobKeys(
                    "limit",
                    "turn",
                    new UniqueKey("unique", false, 1),
                    new SequencePlace("sequence", 2, true, false),
                    NOW.plusSeconds(60).toEpochMilli(),
                    new BatchPlace("batch", true, false),
                    List.of("tag"),
                    Map.of("header", "value")),
            6);

    /** A way in which a claimed job becomes pending, and whether its work has begun by then. */
    private record Way(boolean hasBegun, UnaryOperator<JobRow> back) {}

    private static Map<String, Way> ways() {
        Map<String, Way> ways = new LinkedHashMap<>();
        for (boolean started : List.of(false, true)) {
            String claim = started ? "a claim that has begun " : "a claim that has not begun ";
            ways.put(claim + "is released", new Way(started, row -> ended(claimed(row, started), released(started))));
            ways.put(
                    claim + "expires",
                    new Way(started, row -> ended(claimed(row, started), new Disposition.Expired())));
            ways.put(
                    claim + "is released in vain, and claimed and released once more",
                    new Way(
                            started,
                            row -> ended(
                                    claimed(ended(claimed(row, false), new Disposition.PutBack()), started),
                                    released(started))));
        }
        ways.put(
                "the caller of accept is gone",
                new Way(false, row -> ended(claimed(row, true), new Disposition.PutBack())));
        ways.put(
                "a claim is renewed and released",
                new Way(true, row -> ended(renewed(claimed(row, false)), Disposition.Released.AT_SHUTDOWN)));
        ways.put(
                "a claim is renewed and expires",
                new Way(true, row -> ended(renewed(claimed(row, false)), new Disposition.Expired())));
        ways.put(
                "an attempt fails",
                new Way(true, row -> ended(claimed(row, true), new Disposition.Failed("no", true))));
        ways.put(
                "an attempt is snoozed",
                new Way(true, row -> ended(claimed(row, true), new Disposition.Snoozed(Duration.ofSeconds(9)))));
        for (Disposition disposition : List.of(
                new Disposition.Succeeded(Optional.empty()),
                new Disposition.Failed("no", true),
                new Disposition.Snoozed(Duration.ofSeconds(9)),
                new Disposition.Cancelled("no need"),
                Disposition.Released.AT_SHUTDOWN,
                new Disposition.PutBack(),
                new Disposition.Expired())) {
            ways.put(
                    "a flagged job: " + disposition,
                    new Way(true, row -> ended(claimed(row, true).resubmitted(0), disposition)));
        }
        ways.put(
                "a job that has succeeded is resubmitted",
                new Way(
                        true,
                        row -> ended(claimed(row, true), new Disposition.Succeeded(Optional.empty()))
                                .enqueued(row.payload(), 0)));
        ways.put("a pending job is rescheduled", new Way(false, row -> row.rescheduled(NOW.getEpochSecond())));
        return ways;
    }

    private static Disposition released(boolean hasBegun) {
        return hasBegun ? Disposition.Released.AT_SHUTDOWN : new Disposition.PutBack();
    }

    private static JobRow claimed(JobRow row, boolean started) {
        return row.claimed(new UUID(1, 2), "worker", NOW.toEpochMilli(), false, started, ClaimInfo.NO_LIMIT_SHARD);
    }

    private static JobRow renewed(JobRow row) {
        return row.renewed(row.payload());
    }

    private static JobRow ended(JobRow row, Disposition disposition) {
        return TRANSITIONS.after(TYPE, row, disposition);
    }

    static Stream<Arguments> fields() {
        return ways().keySet().stream()
                .flatMap(way -> Stream.of(JobOptions.class, JobKeys.class)
                        .flatMap(record -> Arrays.stream(record.getRecordComponents())
                                .filter(field -> !field.getName().equals("keys"))
                                .map(field -> Arguments.of(way, field.getName(), field))));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("fields")
    void whatTheCreatorGaveItsJobStays(String way, String field, RecordComponent component) throws Exception {
        Way given = Objects.requireNonNull(ways().get(way));
        JobRow before = JobRow.added(PAYLOAD, 0, OPTIONS);

        JobRow after = given.back().apply(before);

        assertThat(after.state()).isEqualTo(JobState.PENDING);
        assertThat(after.payload()).isEqualTo(before.payload());
        assertThat(value(component, after))
                .isEqualTo(
                        given.hasBegun() && field.equals("startBefore")
                                ? Long.valueOf(JobKeys.NO_DEADLINE)
                                : value(component, before));
    }

    private static Object value(RecordComponent component, JobRow row) throws ReflectiveOperationException {
        JobOptions options = row.options();
        boolean isKey = component.getDeclaringRecord().equals(JobKeys.class);
        return component.getAccessor().invoke(isKey ? options.keys() : options);
    }

    @Test
    void everyWayToEndAClaimIsTried() {
        for (Class<?> disposition : Disposition.class.getPermittedSubclasses()) {
            assertThat(ways().keySet())
                    .anyMatch(way -> way.startsWith("a flagged job: " + disposition.getSimpleName()));
        }
    }
}
