package dev.couchjobs.server.internal.json;

import dev.couchjobs.JobsException;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.MemoryShortage;
import dev.couchjobs.topics.GroupInfo;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.TopicInfo;
import dev.couchjobs.topics.TopicSettings;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** Topics, messages and groups as JSON. */
public final class TopicJson {
    private TopicJson() {}

    public static JsonNode topic(TopicInfo topic) {
        Fields fields = new Fields()
                .put("name", topic.name())
                .put("createdAt", topic.createdAt())
                .duration("maxAge", topic.settings().maxAge());
        topic.settings().maxBytes().ifPresent(bytes -> fields.put("maxBytes", bytes));
        if (!topic.settings().consumedBy().isEmpty()) {
            fields.putAll("consumedBy", topic.settings().consumedBy(), StringNode::valueOf);
        }
        fields.duration("compactAfter", topic.settings().compactAfter());
        return fields.put("messages", topic.messages())
                .put("bytes", topic.bytes())
                .putAll(
                        "partitions",
                        topic.partitions(),
                        partition -> new Fields()
                                .put("partition", partition.partition())
                                .put("appended", partition.appended())
                                .put("messages", partition.messages())
                                .put("bytes", partition.bytes())
                                .node())
                .node();
    }

    public static TopicSettings settings(JsonNode body) {
        return new TopicSettings(
                body.get("partitions").intValue(),
                Optional.ofNullable(body.get("maxAge")).map(NewJobs::duration),
                body.has("maxBytes") ? OptionalLong.of(body.get("maxBytes").longValue()) : OptionalLong.empty(),
                body.path("consumedBy").valueStream().map(JsonNode::stringValue).collect(Collectors.toSet()),
                Optional.ofNullable(body.get("compactAfter")).map(NewJobs::duration));
    }

    public static NewMessage<byte[]> newMessage(JsonNode body) {
        NewMessage<byte[]> message = body.path("deletion").booleanValue(false)
                ? NewMessage.deletion(body.get("key").stringValue())
                : NewMessage.of(Json.payload(body.get("value")).toBytes());
        if (body.has("key")) {
            message = message.key(body.get("key").stringValue());
        }
        if (body.has("partition")) {
            message = message.partition(body.get("partition").intValue());
        }
        for (var header : body.path("headers").properties()) {
            message = message.header(header.getKey(), header.getValue().stringValue());
        }
        return message;
    }

    /** Programs write values that are not JSON, too. */
    public static JsonNode message(Message<byte[]> message) {
        Fields fields = new Fields()
                .put("partition", message.partition())
                .put("offset", message.offset().toString());
        try {
            Fields headers = new Fields();
            message.headers().forEach(headers::put);
            fields.text("key", message.key()).put("headers", headers.node()).put("appendedAt", message.appendedAt());
            return message.isDeletion() ? fields.put("deletion", true).node() : value(fields, message.value());
        } catch (JobsException e) {
            if (MemoryShortage.isCauseOf(e)) {
                throw e;
            }
            return fields.put("problem", String.valueOf(e.getMessage())).node();
        }
    }

    private static JsonNode value(Fields fields, byte[] value) {
        return Json.payloadIfJson(value)
                .map(json -> fields.put("value", Json.of(json)))
                .orElseGet(() -> fields.put("bytes", Base64.getEncoder().encodeToString(value)))
                .node();
    }

    public static JsonNode group(GroupInfo group) {
        return new Fields()
                .put("topic", group.topicName())
                .put("name", group.name())
                .put("lag", group.lag())
                .putAll(
                        "partitions",
                        group.partitions(),
                        partition -> new Fields()
                                .put("partition", partition.partition())
                                .put("lag", partition.lag())
                                .text("offset", partition.offset().map(Offset::toString))
                                .text("holder", partition.holder())
                                .put("parked", partition.parked())
                                .node())
                .putAll(
                        "members",
                        group.members(),
                        member -> new Fields()
                                .put("name", member.name())
                                .put("silence", member.silence().truncatedTo(ChronoUnit.SECONDS))
                                .node())
                .node();
    }

    public static Position position(String text) {
        return switch (text) {
            case "earliest" -> Position.earliest();
            case "latest" -> Position.latest();
            default -> text.contains("T") ? Position.at(Instant.parse(text)) : Position.after(Offset.parse(text));
        };
    }
}
