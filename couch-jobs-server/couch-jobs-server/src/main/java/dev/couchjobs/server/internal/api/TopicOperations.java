package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.Waiting;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.TopicJson;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.GroupPage;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicInfo;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** Topics and groups. */
public final class TopicOperations {

    private final Topics topics;
    private final Database database;
    private final PayloadGate payloads;

    public TopicOperations(Topics topics, Database database, PayloadGate payloads) {
        this.payloads = payloads;
        this.topics = topics;
        this.database = database;
    }

    public void bind(Operations operations) {
        operations.read("listTopics", (call, tx) -> Replies.page(topics.list(tx, call.page()), StringNode::valueOf));
        operations.read(
                "getTopic",
                (call, tx) -> Replies.found(topics.describe(tx, topic(call)), TopicJson::topic, "such topic"));
        operations.write("putTopic", this::put);
        operations.write("removeTopic", (call, tx) -> Replies.changed(topics.delete(tx, topic(call))));
        operations.write("appendMessages", this::append);
        operations.read(
                "getLatestMessage",
                (call, tx) -> Replies.found(
                        topics.latest(tx, topic(call), call.text("key").orElseThrow()),
                        TopicJson::message,
                        "message of the key"));
        operations.read(
                "listGroups",
                (call, tx) -> Replies.ok(
                        topics.groups(tx, topic(call)),
                        names -> new Fields().put("items", names).node()));
        operations.read("getGroup", (call, tx) -> Replies.ok(group(call).describe(tx), TopicJson::group));
        operations.write(
                "createGroup",
                (call, tx) -> Replies.changed(group(call)
                        .create(tx, call.field("from").map(TopicJson::position).orElse(Position.earliest()))));
        operations.write(
                "removeGroup", (call, tx) -> Replies.changed(group(call).delete(tx)));
        operations.write("seekGroup", this::seek);
        operations.write("pollGroup", this::poll);
        operations.act("peekGroup", this::peek);
        operations.write(
                "commitGroup",
                (call, tx) -> Replies.done(
                        group(call).commit(tx, call.body().get("cursor").stringValue())));
    }

    private static Topic<byte[]> topic(Call call) {
        return Topic.of(call.name(), byte[].class);
    }

    private ConsumerGroup<byte[]> group(Call call) {
        return topics.group(topic(call), call.part("group"));
    }

    private CompletableFuture<Reply> put(Call call, TransactionContext tx) {
        Topic<byte[]> topic = topic(call);
        TopicSettings settings = TopicJson.settings(call.body());
        return topics.describe(tx, topic)
                .thenCompose(found -> put(tx, topic, settings, found))
                .thenCompose(done -> Replies.found(topics.describe(tx, topic), TopicJson::topic, "such topic"));
    }

    private CompletableFuture<?> put(
            TransactionContext tx, Topic<byte[]> topic, TopicSettings settings, Optional<TopicInfo> found) {
        return found.isPresent() ? topics.change(tx, topic, settings) : topics.create(tx, topic, settings);
    }

    private CompletableFuture<Reply> append(Call call, TransactionContext tx) {
        List<NewMessage<byte[]>> messages = new ArrayList<>();
        call.body().get("messages").forEach(message -> messages.add(TopicJson.newMessage(message)));
        return Replies.ok(
                topics.appendAll(tx, topic(call), messages),
                appended -> new Fields()
                        .putAll(
                                "items",
                                appended,
                                one -> new Fields()
                                        .put("partition", one.partition())
                                        .put("number", one.number())
                                        .node())
                        .node());
    }

    private CompletableFuture<Reply> seek(Call call, TransactionContext tx) {
        JsonNode body = call.body();
        Position to = TopicJson.position(body.get("to").stringValue());
        return Replies.done(
                body.has("partition")
                        ? group(call).seek(tx, body.get("partition").intValue(), to)
                        : group(call).seek(tx, to));
    }

    private CompletableFuture<Reply> poll(Call call, TransactionContext tx) {
        int limit = call.body().path("limit").asInt(Call.PAGE_STANDARD);
        ConsumerGroup<byte[]> group = group(call);
        CompletableFuture<List<Message<byte[]>>> polled = call.body().has("partition")
                ? group.poll(tx, call.body().get("partition").intValue(), limit)
                : group.poll(tx, limit);
        return Replies.ok(
                polled,
                messages -> new Fields()
                        .putAll("items", messages, TopicJson::message)
                        .node());
    }

    private CompletableFuture<Reply> peek(Call call) {
        ConsumerGroup<byte[]> group = group(call);
        OptionalInt partition = call.number("partition")
                .map(number -> OptionalInt.of(Math.toIntExact(number)))
                .orElse(OptionalInt.empty());
        Waiting<Peeked> waiting = new Waiting<>(
                () -> payloads.run(
                        () -> group.peek(database, partition, call.limit()).thenApply(TopicOperations::peeked)),
                Peeked::isEmpty,
                group::await,
                call.waitUntil());
        return waiting.run(call.connection()).thenApply(Peeked::reply);
    }

    private record Peeked(boolean isEmpty, Reply reply) {}

    private static Peeked peeked(GroupPage<byte[]> page) {
        Fields fields = new Fields().putAll("items", page.messages(), TopicJson::message);
        if (!page.messages().isEmpty()) {
            fields.put("cursor", page.cursor());
        }
        return new Peeked(page.messages().isEmpty(), Reply.ok(fields.node()));
    }
}
