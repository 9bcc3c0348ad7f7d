package dev.couchjobs.bridge.internal.document;

import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes the plan of a step into a document that a person has not written. */
final class PlanWriter {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private PlanWriter() {}

    static ObjectNode write(StepPlan plan) {
        ObjectNode step = JSON.objectNode();
        step.set("target", target(plan.target()));
        String kind = kind(plan.action());
        if (!kind.equals("shell")) {
            step.put("kind", kind);
        }
        step.set("do", action(plan.action()));
        plan.alternative().ifPresent(alternative -> {
            if (!kind(alternative).equals(kind)) {
                step.put("alt_kind", kind(alternative));
            }
            step.set("alt_do", action(alternative));
        });
        plan.timeout().ifPresent(timeout -> step.set("timeout", JsonNumbers.seconds(timeout)));
        if (!plan.retry().equals(RetryStrategy.none())) {
            step.set("retry_strategy", retry(plan.retry()));
        }
        return step;
    }

    private static JsonNode target(Target target) {
        if (target.written().size() == 1) {
            return JSON.stringNode(target.written().first());
        }
        var names = JSON.arrayNode();
        target.written().forEach(names::add);
        return names;
    }

    private static String kind(ActionPlan action) {
        return action instanceof ActionPlan.Http ? "http" : action instanceof ActionPlan.Java ? "java" : "shell";
    }

    private static JsonNode action(ActionPlan action) {
        ObjectNode object = JSON.objectNode();
        if (action instanceof ActionPlan.Shell shell) {
            object.put("command", shell.command());
            shell.directory().ifPresent(directory -> object.put("directory", directory));
            texts(object, "environment", shell.environment());
            return object.size() == 1 ? object.path("command") : object;
        }
        if (action instanceof ActionPlan.Java java) {
            object.put("handler", java.name());
            json(object, "data", java.data());
            return object.size() == 1 ? object.path("handler") : object;
        }
        ActionPlan.Http http = (ActionPlan.Http) action;
        object.put("method", http.method());
        object.put("url", http.url());
        texts(object, "headers", http.headers());
        json(object, "body", http.body());
        http.timeout().ifPresent(timeout -> object.set("timeout", JsonNumbers.seconds(timeout)));
        return object.size() == 2 ? JSON.stringNode(http.method() + " " + http.url()) : object;
    }

    private static ObjectNode retry(RetryStrategy retry) {
        ObjectNode object = JSON.objectNode();
        object.put("max_retries", retry.maxRetries());
        object.set("sleep", JsonNumbers.seconds(retry.sleep()));
        object.set("sleep_factor", JsonNumbers.number(retry.sleepFactor()));
        retry.sleepMax().ifPresent(longest -> object.set("sleep_max", JsonNumbers.seconds(longest)));
        retry.maxTime().ifPresent(time -> object.set("max_time", JsonNumbers.seconds(time)));
        return object;
    }

    private static void texts(ObjectNode object, String name, Map<String, String> texts) {
        if (!texts.isEmpty()) {
            ObjectNode sorted = object.putObject(name);
            new TreeMap<>(texts).forEach(sorted::put);
        }
    }

    private static void json(ObjectNode object, String name, JsonNode value) {
        if (!value.isNull()) {
            object.set(name, value.deepCopy());
        }
    }
}
