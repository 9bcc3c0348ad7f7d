package dev.couchjobs.bench.thesis;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One run of a test, from the writing of its documents until all of them show success on the node that created them.
 */
final class EvaluationRun {
    private static final String NAME = "job-";

    private final Couch couch;
    private final Map<String, Integer> updates = new HashMap<>();

    EvaluationRun(Couch couch) {
        this.couch = couch;
    }

    /**
     * The result of a run.
     *
     * @param seconds the time from the first write to the last success
     * @param fewestUpdates the fewest updates of a document after its creation
     * @param mostUpdates the most updates of a document after its creation
     */
    record RunResult(double seconds, int fewestUpdates, int mostUpdates) {}

    RunResult run(Evaluation test, double stepSeconds) throws IOException, InterruptedException {
        String since = couch.send("GET", "/_changes", "").path("last_seq").asString();
        String jobs = documents(test, stepSeconds);
        long begin = System.nanoTime();
        var unused = couch.send("POST", "/_bulk_docs", jobs);
        while (updates.size() < test.jobs) {
            since = watch(since);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new RunResult(
                seconds,
                updates.values().stream().mapToInt(count -> count).min().orElse(0),
                updates.values().stream().mapToInt(count -> count).max().orElse(0));
    }

    private String watch(String since) throws IOException, InterruptedException {
        JsonNode changes = couch.send(
                "GET", "/_changes?feed=longpoll&timeout=10000&include_docs=true&since=" + encoded(since), "");
        for (JsonNode row : changes.path("results")) {
            JsonNode document = row.path("doc");
            if (!row.path("id").asString().startsWith(NAME)) {
                continue;
            }
            String status = document.path("job_status").asString("");
            if (status.equals("success")) {
                String revision = document.path("_rev").asString();
                updates.put(
                        row.path("id").asString(), Integer.parseInt(revision.substring(0, revision.indexOf('-'))) - 1);
            } else if (!status.isEmpty()) {
                throw new IOException("A job has ended as " + status + ": " + document);
            }
        }
        return changes.path("last_seq").asString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String documents(Evaluation test, double stepSeconds) {
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        ArrayNode documents = request.putArray("docs");
        for (int job = 0; job < test.jobs; job++) {
            ArrayNode steps = documents
                    .addObject()
                    .put("_id", NAME + job)
                    .put("creator", "node0")
                    .putArray("job");
            List<String> targets = test.targets();
            targets.forEach(target -> steps.addObject().put("target", target).put("do", "sleep " + stepSeconds));
        }
        return JsonMapper.shared().writeValueAsString(request);
    }
}
