package dev.couchjobs.bridge.internal.document;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes {@link WorkItem} documents. Other fields describe the work and are not changed. */
final class WorkItemCodec {
    /** The fields of the queue. */
    static final List<String> FIELDS =
            List.of("type", "worker", "date", "claimed", "status", "claimed_by", "attempts", "reason");

    private static final List<String> STATUSES = List.of("retry", "fail");
    private static final List<String> OURS = List.of("claimed_by", "attempts", "reason");
    /** Later dates are times in milliseconds by mistake. */
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    private static final String DATE = "it has to be seconds since 1970, or a time such as 2011-02-05T22:31:02Z";

    private WorkItemCodec() {}

    /** {@return the item; reports its errors} */
    static Optional<WorkItem> read(String id, ObjectNode document, ValidationErrors errors) {
        Fields fields = new Fields(document, "", errors);
        fields.requires("worker", "name the kind of work");
        Optional<String> worker = fields.words("worker");
        Optional<Instant> due = due(fields);
        boolean isClaimed = fields.bool("claimed").orElse(false);
        Optional<WorkItem.Status> status = status(fields);
        Optional<String> claimedBy = fields.text("claimed_by").filter(node -> isClaimed);
        int attempts = fields.integer("attempts", 0).orElse(0);
        Optional<String> reason = fields.text("reason");
        return worker.map(kind ->
                new WorkItem(id, kind, due.orElse(Instant.EPOCH), isClaimed, status, claimedBy, attempts, reason));
    }

    /** {@return a document with the state of an item} */
    static ObjectNode write(WorkItem item, ObjectNode base) {
        ObjectNode document = copy(base);
        document.put("_id", item.id());
        document.put("type", DocumentKind.WORK_ITEM_TYPE);
        document.put("worker", item.worker());
        if (!due(new Fields(base, "", new ValidationErrors())).equals(Optional.of(item.due()))) {
            document.set("date", JsonNumbers.number(item.due().toEpochMilli() / 1e3));
        }
        document.put("claimed", item.isClaimed());
        document.put("status", item.status().map(Spelling::of).orElse(null));
        item.claimedBy().ifPresent(node -> document.put("claimed_by", node));
        if (item.attempts() > 0) {
            document.put("attempts", item.attempts());
        }
        item.reason().ifPresent(reason -> document.put("reason", reason));
        return document;
    }

    /** {@return a copy of a document that is no valid item, with the reason, and so that no view lists it} */
    static ObjectNode refuse(ObjectNode document, String reason) {
        ObjectNode refused = copy(document);
        refused.put("claimed", true);
        refused.put("status", Spelling.of(WorkItem.Status.FAIL));
        refused.put("reason", reason);
        return refused;
    }

    /** {@return whether a document shows that it has failed for good} */
    static boolean isMarkedFailed(ObjectNode document) {
        return document.path("status").asString("").equalsIgnoreCase("fail");
    }

    private static ObjectNode copy(ObjectNode document) {
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : document.properties()) {
            if (!OURS.contains(field.getKey())) {
                copy.set(field.getKey(), field.getValue().deepCopy());
            }
        }
        return copy;
    }

    /** {@return the time at which the work is due; the earliest one if there is no date} */
    private static Optional<Instant> due(Fields fields) {
        Optional<JsonNode> date = fields.value("date");
        if (date.isEmpty()) {
            return Optional.of(Instant.EPOCH);
        }
        if (date.get().isNumber()) {
            double seconds = JsonNumbers.value(date.get());
            if (seconds >= 0 && seconds <= LAST.getEpochSecond()) {
                return Optional.of(Instant.ofEpochMilli(Math.round(seconds * 1000)));
            }
        } else if (date.get().isString()) {
            Optional<Instant> due = parsed(date.get().stringValue());
            if (due.isPresent()) {
                return due;
            }
        }
        fields.fault("date", "is " + ValidationErrors.quote(date.get().asString("")) + "; " + DATE);
        return Optional.empty();
    }

    private static Optional<Instant> parsed(String text) {
        try {
            Instant due =
                    ZonedDateTime.parse(text, DateTimeFormatter.ISO_DATE_TIME).toInstant();
            return due.isBefore(Instant.EPOCH) || due.isAfter(LAST)
                    ? Optional.empty()
                    : Optional.of(Instant.ofEpochMilli(due.toEpochMilli()));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<WorkItem.Status> status(Fields fields) {
        Optional<String> text = fields.text("status").map(status -> status.toLowerCase(Locale.ROOT));
        if (text.isPresent() && !STATUSES.contains(text.get())) {
            fields.fault(
                    "status",
                    "is " + ValidationErrors.quote(text.get()) + "; it can be null, retry or fail"
                            + fields.errors().hint(text.get(), STATUSES));
            return Optional.empty();
        }
        return text.map(status -> WorkItem.Status.valueOf(status.toUpperCase(Locale.ROOT)));
    }
}
