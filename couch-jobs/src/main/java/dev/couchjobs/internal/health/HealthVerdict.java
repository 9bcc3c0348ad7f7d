package dev.couchjobs.internal.health;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.Health;
import dev.couchjobs.Health.DueJob;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.IncompatibleLayoutException;
import dev.couchjobs.OutOfServiceException;
import dev.couchjobs.internal.descent.DescentNote;
import dev.couchjobs.internal.health.HealthReader.QuarantinedTables;
import dev.couchjobs.internal.health.HealthReader.Reading;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.quarantine.QuarantinedKind;
import dev.couchjobs.internal.sweep.SkewText;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Says what a check has found, in words. */
final class HealthVerdict {
    private static final int TIMED_OUT = 1031;

    private HealthVerdict() {}

    /**
     * What a database has answered before a check failed.
     *
     * @param readVersionTook how long it took for a read version, if it gave one
     * @param isRead whether it has answered all reads, so that it was the commit that failed
     */
    record Answered(Optional<Duration> readVersionTook, boolean isRead) {}

    /** {@return the health of an instance whose database did not answer in time} */
    static Health unanswered(EngineName engine, Duration timeout, Answered answered) {
        String within = " within " + DurationText.of(timeout);
        String reason;
        if (answered.isRead()) {
            reason = "The database answers reads and did not commit a write" + within + ": " + engine.advice() + ".";
        } else if (answered.readVersionTook().isPresent()) {
            reason = "The database gave a read version and then did not answer" + within + ": look at " + engine.load()
                    + ", or allow a check more time.";
        } else {
            reason = "The database did not answer" + within + ": " + engine.advice() + ".";
        }
        return unknown(HealthStatus.DOWN, reason, answered.readVersionTook());
    }

    /** {@return the health of an instance whose check has failed} */
    static Health failed(EngineName engine, Throwable cause, Duration timeout, Answered answered) {
        if (cause instanceof FDBException error && error.getCode() == TIMED_OUT) {
            return unanswered(engine, timeout, answered);
        }
        boolean isDown = answered.readVersionTook().isEmpty()
                || cause instanceof FDBException
                || cause instanceof IncompatibleLayoutException
                || cause instanceof OutOfServiceException;
        return unknown(
                isDown ? HealthStatus.DOWN : HealthStatus.DEGRADED,
                (answered.isRead() ? "The database answers reads and refuses a write: " : "The check has failed: ")
                        + textOf(cause),
                answered.readVersionTook());
    }

    /** {@return the message of an error, and of its cause: the error of an engine that has stopped has one} */
    private static String textOf(Throwable error) {
        String text = String.valueOf(RootCauses.message(error));
        Throwable by = RootCauses.cause(error);
        String cause = by == null ? null : RootCauses.message(by);
        return cause == null || text.contains(cause) ? text : text + ": " + cause;
    }

    private static Health unknown(HealthStatus status, String reason, Optional<Duration> readVersionTook) {
        return new Health(
                status, List.of(reason), readVersionTook, List.of(), 0, 0, List.of(), false, Optional.empty(), 0, 0);
    }

    static Health of(Reading reading, HealthSettings settings) {
        List<String> reasons = new ArrayList<>();
        due(reading, settings).ifPresent(reasons::add);
        unmonitored(reading.unmonitored()).ifPresent(reasons::add);
        clock(reading.clockSkew()).ifPresent(reasons::add);
        quarantined(reading.quarantined(), settings.quarantinedAtMost()).ifPresent(reasons::add);
        descents(reading.descents()).ifPresent(reasons::add);
        return new Health(
                reasons.isEmpty() ? HealthStatus.UP : HealthStatus.DEGRADED,
                reasons,
                Optional.of(reading.readVersionTook()),
                first(reading.due()),
                reading.due().size(),
                reading.types().inUse().size(),
                first(reading.unmonitored()),
                reading.types().isComplete(),
                Optional.of(reading.clockSkew()),
                reading.quarantined().count(),
                reading.liveWorkers());
    }

    private static <T> List<T> first(List<T> all) {
        return all.subList(0, Math.min(all.size(), Health.DUE_MAX));
    }

    private static Optional<String> due(Reading reading, HealthSettings settings) {
        List<DueJob> late = reading.due().stream()
                .filter(job -> job.dueFor().compareTo(settings.dueAtMost()) > 0)
                .filter(job -> !reading.paused().contains(job.type()))
                .toList();
        return late.stream()
                .findFirst()
                .map(job -> "Job " + job.jobId() + " of type " + andOthers(job.type(), late.size())
                        + " has been due for " + DurationText.of(job.dueFor().truncatedTo(ChronoUnit.SECONDS))
                        + ", more than " + DurationText.of(settings.dueAtMost()) + ": "
                        + (reading.liveWorkers() == 0
                                ? "no worker is live; start one."
                                : "start more workers, or look what those of the type do."));
    }

    private static Optional<String> unmonitored(List<String> types) {
        return types.stream()
                .findFirst()
                .map(type -> "No activity monitor is alive for the jobs that run of type "
                        + andOthers(type, types.size())
                        + ": those of processes that have died are not put back. Start a worker of the type, or call"
                        + " maintenance().monitor.");
    }

    private static Optional<String> descents(List<DescentNote> notes) {
        return notes.stream()
                .max(Comparator.comparingInt(DescentNote::descent))
                .map(note -> "Job " + note.jobId() + " of type " + andOthers(note.type(), notes.size()) + " is number "
                        + note.descent() + " of a line of jobs in which each handler added the next: if the line has no"
                        + " end, change the handler, or bound the type with maxDescent.");
    }

    private static String andOthers(String type, int types) {
        return types == 1 ? type : type + " (and of " + (types - 1) + " other types)";
    }

    private static Optional<String> clock(ClockSkew skew) {
        return Optional.of(skew)
                .filter(ClockSkew::isExceeded)
                .map(exceeded ->
                        "The clock of this process is " + SkewText.of(exceeded) + ": set the clock that is wrong.");
    }

    private static Optional<String> quarantined(QuarantinedTables rows, int atMost) {
        int count = rows.count();
        return count <= atMost
                ? Optional.empty()
                : Optional.of((count == Health.QUARANTINED_MAX ? count + " or more" : String.valueOf(count))
                        + " undecodable rows are in quarantine: list them with quarantine(), then restore or remove"
                        + " them." + kinds(rows));
    }

    /** {@return a sentence for each kind of rows, which names the tables and says what to do} */
    private static String kinds(QuarantinedTables rows) {
        Map<QuarantinedKind, Map<String, Set<String>>> kinds = new EnumMap<>(QuarantinedKind.class);
        rows.byType()
                .forEach((type, tables) -> tables.forEach(
                        table -> kinds.computeIfAbsent(QuarantinedKind.ofTable(table), kind -> new TreeMap<>())
                                .computeIfAbsent(table.isEmpty() ? "without a name" : table, name -> new TreeSet<>())
                                .add(type)));
        StringBuilder sentences = new StringBuilder();
        kinds.forEach((kind, tables) -> sentences
                .append(" A row of ")
                .append(tables.entrySet().stream()
                        .map(table -> table.getKey() + " (type " + shortened(table.getValue()) + ")")
                        .collect(Collectors.joining(", ")))
                .append(" is ")
                .append(kind.remedy())
                .append('.'));
        return sentences.toString();
    }

    private static String shortened(Set<String> types) {
        String first = types.iterator().next();
        return types.size() == 1 ? first : first + " and " + (types.size() - 1) + " others";
    }
}
