package dev.couchjobs.server.internal.selections;

import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * Which jobs a selection takes: those for which all that it says is true. The schema {@code Condition} lists what it
 * may say.
 */
record Condition(JsonNode where, Optional<Instant> dueAfter) implements Predicate<JobInfo<RawPayload, RawPayload>> {

    static Condition of(JsonNode where) {
        return new Condition(
                where, where.has("dueAfter") ? Optional.of(NewJobs.time(where.get("dueAfter"))) : Optional.empty());
    }

    Optional<String> tag() {
        return text("tag");
    }

    private Optional<String> text(String name) {
        return where.has(name) ? Optional.of(where.get(name).stringValue()) : Optional.empty();
    }

    @Override
    public boolean test(JobInfo<RawPayload, RawPayload> job) {
        return is("state", Optional.of(job.state().name().toLowerCase(Locale.ROOT)))
                && is("outcome", job.outcome().map(outcome -> outcome.name().toLowerCase(Locale.ROOT)))
                && is("limitKey", job.limitKey())
                && is("turnKey", job.turnKey())
                && is("sequence", job.sequence())
                && is("batch", job.batch())
                && text("idPrefix").map(job.id()::startsWith).orElse(true)
                && text("errorContains")
                        .map(part -> job.error()
                                .filter(error -> error.contains(part))
                                .isPresent())
                        .orElse(true)
                && dueAfter.map(time -> isDueAfter(job, time)).orElse(true)
                && job.failures() >= where.path("failuresAtLeast").asInt(0)
                && isAmong("ids", job.id());
    }

    private static boolean isDueAfter(JobInfo<RawPayload, RawPayload> job, Instant time) {
        return job.state() == JobState.PENDING
                && job.scheduledTime().filter(due -> due.isAfter(time)).isPresent();
    }

    private boolean is(String name, Optional<String> actual) {
        return text(name)
                .map(wanted -> actual.filter(wanted::equals).isPresent())
                .orElse(true);
    }

    private boolean isAmong(String name, String value) {
        return !where.has(name)
                || List.copyOf(where.get(name).values()).stream()
                        .anyMatch(one -> one.stringValue().equals(value));
    }
}
