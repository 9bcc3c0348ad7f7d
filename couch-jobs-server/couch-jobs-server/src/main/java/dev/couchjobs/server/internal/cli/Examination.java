package dev.couchjobs.server.internal.cli;

import dev.couchjobs.JobType;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Compares what is stored twice, by what the API tells: counters with listings, the status index with the counters,
 * dead letters with failures, schedules with their jobs. What changes meanwhile is read again.
 */
final class Examination {
    private static final int PAGE = 1000;
    private static final int TRIES = 3;
    private static final Duration LOOK = Duration.ofMillis(200);

    private final Session session;
    private final boolean mends;
    private final Progress progress;
    private final List<JsonNode> findings = new ArrayList<>();

    Examination(Session session, boolean mends) {
        this.session = session;
        this.mends = mends;
        progress = new Progress(session.output().shell());
    }

    /** {@return what was found, also what is in order} */
    List<JsonNode> findings() {
        return findings;
    }

    boolean hasFaults() {
        return findings.stream()
                .anyMatch(finding -> finding.path("is").asString().equals("fault"));
    }

    private void found(String check, String of, String is, String detail) {
        findings.add(new Fields()
                .put("check", check)
                .put("of", of)
                .put("is", is)
                .put("detail", detail)
                .node());
    }

    private void fault(String check, String of, String detail) {
        found(check, of, "fault", detail);
    }

    private void fine(String check, String of) {
        found(check, of, "ok", "");
    }

    void run() {
        for (String type : ListCommand.names(session)) {
            if (session.stop().isRequested()) {
                return;
            }
            progress.tell("looks at " + type);
            quarantine(type);
            counts(type);
            statusIndex(type);
        }
        schedules();
        monitors();
        health();
    }

    private JsonNode countsOf(String type) {
        return session.api().get(Address.of("/v1/types/{}/counts", type)).json();
    }

    /** Compares the counters with the jobs, with the leases of the running ones, and with the dead letters. */
    private void counts(String type) {
        for (int i = 1; i <= TRIES; i++) {
            JsonNode before = countsOf(type);
            Map<String, Long> jobs = byState(Address.of("/v1/types/{}/jobs", type));
            long leases =
                    byState(Address.of("/v1/types/{}/jobs", type).with("state", Optional.of("running")))
                            .values()
                            .stream()
                            .mapToLong(Long::longValue)
                            .sum();
            long dead = byState(Address.of("/v1/types/{}/dead-letters", type)).getOrDefault("", 0L);
            if (!before.equals(countsOf(type))) {
                continue;
            }
            String differences =
                    difference("pending", count(before, "pending", "blocked"), jobs.getOrDefault("pending", 0L))
                            + difference("running", count(before, "running"), jobs.getOrDefault("running", 0L))
                            + difference(
                                    "finished",
                                    count(before, "succeeded", "failed", "cancelled", "expired"),
                                    jobs.getOrDefault("finished", 0L))
                            + difference("running, with a lease,", count(before, "running"), leases)
                            + difference("failed, as dead letters,", count(before, "failed"), dead);
            if (differences.isEmpty()) {
                fine("counts", type);
            } else {
                fault("counts", type, differences.strip() + " No verb mends counters: please report it.");
            }
            return;
        }
        found("counts", type, "busy", "The jobs change too fast to be compared. Pause the type, and look again.");
    }

    private static long count(JsonNode counts, String... states) {
        long sum = 0;
        for (String state : states) {
            sum += counts.path(state).asLong();
        }
        return sum;
    }

    private static String difference(String what, long counted, long listed) {
        return counted == listed ? "" : counted + " " + what + " are counted, " + listed + " listed. ";
    }

    /** {@return how many items of a listing have which state; the state is empty if they have none} */
    private Map<String, Long> byState(Address listing) {
        Map<String, Long> counts = new LinkedHashMap<>();
        Optional<String> place = Optional.empty();
        do {
            JsonNode page = session.api()
                    .get(listing.with("limit", Optional.of(PAGE)).with("after", place))
                    .json();
            page.path("items").forEach(item -> counts.merge(item.path("state").asString(""), 1L, Long::sum));
            place = Optional.ofNullable(page.get("next")).map(JsonNode::asString);
        } while (place.isPresent() && !session.stop().isRequested());
        return counts;
    }

    private void statusIndex(String type) {
        Address index = Address.of("/v1/types/{}/status-index", type);
        Optional<String> fault = Optional.empty();
        for (int i = 1; i <= TRIES; i++) {
            ApiReply reply = session.api().send("GET", index, MissingNode.getInstance());
            if (reply.status() == 409) {
                return;
            }
            if (reply.status() != 200) {
                throw session.api().failure(reply);
            }
            JsonNode before = countsOf(type);
            fault = indexFault(type, reply.json(), before);
            if (fault.isEmpty()) {
                fine("status index", type);
                return;
            }
            if (before.equals(countsOf(type))) {
                break;
            }
        }
        if (fault.isEmpty() || !mends) {
            fault("status index", type, fault.orElse("") + "--mend writes it again.");
            return;
        }
        session.api().delete(index);
        session.api().put(index, MissingNode.getInstance());
        Optional<String> rest = indexFault(type, session.api().get(index).json(), countsOf(type));
        if (rest.isEmpty()) {
            found("status index", type, "mended", fault.get() + "It is written again.");
        } else {
            fault("status index", type, rest.get() + "It was written again, and is still wrong.");
        }
    }

    private Optional<String> indexFault(String type, JsonNode index, JsonNode counts) {
        StringBuilder differences = new StringBuilder();
        long[] sum = {0};
        index.forEachEntry((status, count) -> {
            sum[0] += count.asLong();
            Address listing = Address.of("/v1/types/{}/jobs", type).with("status", Optional.of(status));
            differences.append(
                    difference(status, count.asLong(), byState(listing).getOrDefault("", 0L)));
        });
        differences.append(difference("of all statuses", counts.path("total").asLong(), sum[0]));
        return Optional.of(differences.toString()).filter(text -> !text.isEmpty());
    }

    private void quarantine(String type) {
        Optional<String> place = Optional.empty();
        do {
            JsonNode page = session.api()
                    .get(Address.of("/v1/types/{}/quarantine", type)
                            .with("limit", Optional.of(PAGE))
                            .with("after", place))
                    .json();
            page.path("items").forEach(row -> quarantined(type, row));
            place = Optional.ofNullable(page.get("next")).map(JsonNode::asString);
        } while (place.isPresent());
    }

    private void quarantined(String type, JsonNode row) {
        String what = row.path("row").asString() + ": " + row.path("reason").asString();
        String id = row.path("id").asString();
        if (!mends) {
            fault("quarantine", type, what + " --mend tries to put it back.");
            return;
        }
        ApiReply reply = session.api()
                .send("POST", Address.of("/v1/types/{}/quarantine/{}/restore", type, id), MissingNode.getInstance());
        if (reply.status() == 200 && reply.hasChanged()) {
            found("quarantine", type, "mended", what + " It is back.");
        } else {
            String why = reply.status() == 200
                    ? "Another row has taken its place."
                    : session.api().failure(reply).title();
            fault(
                    "quarantine",
                    type,
                    what + " It stays: " + why + " To give it up: couch-jobs quarantine " + type + " " + id
                            + " --remove");
        }
    }

    private void schedules() {
        Optional<String> place = Optional.empty();
        do {
            JsonNode page = session.api()
                    .get(Address.of("/v1/schedules")
                            .with("limit", Optional.of(PAGE))
                            .with("after", place))
                    .json();
            page.path("items").forEach(this::schedule);
            place = Optional.ofNullable(page.get("next")).map(JsonNode::asString);
        } while (place.isPresent());
    }

    /** The current job may end, and be replaced, between two reads. */
    private void schedule(JsonNode listed) {
        String name = listed.path("name").asString();
        Address address = Address.of("/v1/schedules/{}", name);
        JsonNode schedule = listed;
        for (int i = 1; i <= TRIES && schedule.has("currentJob"); i++) {
            String type = schedule.path("type").asString();
            String job = schedule.path("currentJob").asString();
            ApiReply reply =
                    session.api().send("GET", Address.of("/v1/types/{}/jobs/{}", type, job), MissingNode.getInstance());
            ApiReply again = session.api().send("GET", address, MissingNode.getInstance());
            if (again.status() == 404) {
                return;
            }
            if (reply.status() == 404 && again.json().equals(schedule)) {
                fault(
                        "schedule",
                        name,
                        "Its current job " + job + " is not there. Put the schedule again: couch-jobs schedules " + name
                                + " --put JSON");
                return;
            }
            schedule = again.json();
        }
        fine("schedule", name);
    }

    private JsonNode healthNow() {
        ApiReply reply = session.api().send("GET", Address.of("/v1/health"), MissingNode.getInstance());
        if (!reply.json().has("unmonitored")) {
            throw session.api().failure(reply);
        }
        return reply.json();
    }

    /** If this process has a directory open, no other one can run jobs: those that run there are of dead processes. */
    private void monitors() {
        Set<String> unmonitored = new LinkedHashSet<>();
        for (JsonNode type : healthNow().path("unmonitored")) {
            unmonitored.add(type.asString());
        }
        if (session.local().filter(LocalServer::isDirectory).isPresent()) {
            ListCommand.names(session).stream()
                    .filter(type -> countsOf(type).path("running").asLong() > 0)
                    .forEach(unmonitored::add);
        }
        for (String type : unmonitored) {
            if (!mends || session.local().isEmpty()) {
                fault(
                        "monitor",
                        type,
                        "No process watches its running jobs. Start a worker"
                                + (session.local().isEmpty() ? "." : ", or let --mend put them back."));
            } else {
                monitor(session.local().get(), type);
            }
        }
    }

    /** Watches the running jobs of a type until those of dead processes are pending again. */
    private void monitor(LocalServer local, String type) {
        JsonNode timeout =
                session.api().get(Address.of("/v1/types/{}", type)).json().path("timeout");
        Duration longest =
                Duration.parse(timeout.asString("PT30S")).multipliedBy(2).plusSeconds(5);
        Instant end = ServerEnvironment.now().plus(longest);
        local.jobs().maintenance().monitor(JobType.of(type, Object.class));
        progress.tell("waits for the leases of " + type);
        long running = countsOf(type).path("running").asLong();
        while (running > 0
                && ServerEnvironment.now().isBefore(end)
                && !session.stop().await(LOOK)) {
            running = countsOf(type).path("running").asLong();
        }
        if (running == 0) {
            found("monitor", type, "mended", "The jobs of processes that have died are pending again. Start a worker.");
        } else {
            fault("monitor", type, running + " jobs still run. Start a worker.");
        }
    }

    private void health() {
        JsonNode health = healthNow();
        for (JsonNode reason : health.path("reasons")) {
            fault("health", health.path("status").asString(), reason.asString());
        }
        if (health.path("reasons").isEmpty()) {
            fine("health", health.path("status").asString());
        }
    }

    /** {@return the findings as one object} */
    ObjectNode json() {
        return new Fields().putAll("items", findings, finding -> finding).node();
    }
}
