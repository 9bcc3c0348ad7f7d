package dev.couchjobs.server.internal.queue;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.PageRequest;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.api.Operations;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.queue.QueueClients.Client;
import dev.couchjobs.topics.ConsumerGroup;
import dev.couchjobs.topics.GroupInfo;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicInfo;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** A queue with registered producers and consumers. A consumer is a group of its own. */
public final class QueueOperations {
    private static final int TOPICS_PAGE = 1_000;
    private static final String GROUP = "queue-";

    private final Topics topics;
    private final QueueClients producers;
    private final QueueClients consumers;

    public QueueOperations(Topics topics, Subspace root, InstantSource clock) {
        this.topics = topics;
        producers = new QueueClients(root, "producer", clock);
        consumers = new QueueClients(root, "consumer", clock);
    }

    public void bind(Operations operations) {
        operations.write("createQueueTopic", this::createTopic);
        operations.read("listQueueTopics", (call, tx) -> listTopics(tx));
        operations.write("registerQueueProducer", this::registerProducer);
        operations.write("registerQueueConsumer", this::registerConsumer);
        operations.write("produceToQueue", this::produce);
        operations.write("consumeFromQueue", this::consume);
        operations.read("getQueueSize", this::size);
    }

    private static Topic<byte[]> topic(String name) {
        return Topic.of(name, byte[].class);
    }

    /** A value is in the query, or in the body. */
    private static Optional<JsonNode> find(Call call, String name) {
        return Optional.ofNullable(call.query().get(name))
                .or(() -> Optional.ofNullable(call.body().get(name)));
    }

    private static JsonNode get(Call call, String name) {
        return find(call, name)
                .orElseThrow(() -> new ProblemException(Problem.of(400, "invalid-parameter", "A parameter is missing.")
                        .detail(name + " is missing: give it in the query or in the body.")));
    }

    private static String text(Call call, String name) {
        return get(call, name).stringValue();
    }

    private static OptionalInt partition(Call call) {
        return find(call, "partition")
                .map(number -> OptionalInt.of(number.intValue()))
                .orElse(OptionalInt.empty());
    }

    private static Reply ok(Fields fields) {
        return Reply.ok(fields.node());
    }

    private CompletableFuture<Reply> createTopic(Call call, TransactionContext context) {
        String name = text(call, "name");
        int partitions = find(call, "partitions").map(JsonNode::intValue).orElse(1);
        return topics.create(context, topic(name), TopicSettings.partitions(partitions))
                .thenApply(isNew -> {
                    if (!isNew) {
                        throw new ProblemException(Problem.of(409, "refused", "The topic is there.")
                                .detail("There is a topic \"" + name + "\" already."));
                    }
                    return ok(QueueReplies.success().put("message", "Topic \"" + name + "\" is created."));
                });
    }

    private CompletableFuture<Reply> listTopics(ReadTransactionContext context) {
        return context.readAsync(tx -> names(tx, PageRequest.of(TOPICS_PAGE), new ArrayList<>()))
                .thenApply(names -> ok(QueueReplies.success().putAll("topics", names, StringNode::valueOf)));
    }

    private CompletableFuture<List<String>> names(
            ReadTransactionContext context, PageRequest page, List<String> found) {
        return topics.list(context, page).thenCompose(names -> {
            found.addAll(names.items());
            return names.next()
                    .map(next -> names(context, page.after(next), found))
                    .orElseGet(() -> CompletableFuture.completedFuture(found));
        });
    }

    private CompletableFuture<Reply> registerProducer(Call call, TransactionContext context) {
        Client producer = new Client(text(call, "topic"), partition(call));
        return context.runAsync(tx -> topics.describe(tx, topic(producer.topic()))
                        .thenCompose(found -> found.isPresent()
                                ? checked(producer, found)
                                : createFor(call, tx, producer).thenCompose(created -> describe(tx, producer)))
                        .thenCompose(done -> producers.removeDue(tx))
                        .thenCompose(removed -> producers.add(tx, producer)))
                .thenApply(id -> ok(QueueReplies.success().put("producer_id", id)));
    }

    /** Who creates topics elsewhere needs the role for it. */
    private CompletableFuture<Boolean> createFor(Call call, Transaction tx, Client producer) {
        if (!call.access().has(Role.OPERATE)) {
            throw new TopicNotFoundException(producer.topic());
        }
        return topics.create(tx, topic(producer.topic()), TopicSettings.partitions(1));
    }

    private CompletableFuture<TopicInfo> describe(ReadTransactionContext context, Client client) {
        return topics.describe(context, topic(client.topic())).thenCompose(found -> checked(client, found));
    }

    private static CompletableFuture<TopicInfo> checked(Client client, Optional<TopicInfo> found) {
        TopicInfo info = found.orElseThrow(() -> new TopicNotFoundException(client.topic()));
        client.partition().ifPresent(partition -> {
            if (partition >= info.partitions().size()) {
                throw new IllegalArgumentException("Topic \"" + client.topic() + "\" has the partitions 0 to "
                        + (info.partitions().size() - 1) + ", and no " + partition + ".");
            }
        });
        return CompletableFuture.completedFuture(info);
    }

    private CompletableFuture<Reply> registerConsumer(Call call, TransactionContext context) {
        Client consumer = new Client(text(call, "topic"), partition(call));
        return context.runAsync(tx -> describe(tx, consumer)
                        .thenCompose(found -> removeDueConsumers(tx))
                        .thenCompose(removed -> consumers.add(tx, consumer))
                        .thenCompose(id -> group(consumer.topic(), id)
                                .create(tx, Position.earliest())
                                .thenApply(created -> id)))
                .thenApply(id -> ok(QueueReplies.success().put("consumer_id", id)));
    }

    private CompletableFuture<Void> removeDueConsumers(Transaction tx) {
        return consumers
                .removeDue(tx)
                .thenCompose(removed -> CompletableFuture.allOf(removed.stream()
                        .map(consumer -> removeGroup(tx, consumer))
                        .toArray(CompletableFuture<?>[]::new)));
    }

    /** Of a topic that is deleted there are no groups. */
    private CompletableFuture<Boolean> removeGroup(Transaction tx, QueueClients.Removed consumer) {
        String topic = consumer.client().topic();
        return topics.describe(tx, topic(topic))
                .thenCompose(found -> found.isPresent()
                        ? group(topic, consumer.id()).delete(tx)
                        : CompletableFuture.completedFuture(false));
    }

    private ConsumerGroup<byte[]> group(String topic, long consumer) {
        return topics.group(topic(topic), GROUP + consumer);
    }

    /** {@return the partition of a request; that of its client if it names none} */
    private static OptionalInt partition(Call call, Client client) {
        OptionalInt named = partition(call);
        if (named.isPresent() && client.partition().isPresent() && !named.equals(client.partition())) {
            throw new ProblemException(Problem.of(409, "refused", "The client is registered for another partition.")
                    .detail("It is registered for partition "
                            + client.partition().getAsInt() + ": register another one, or leave the partition out."));
        }
        return named.isPresent() ? named : client.partition();
    }

    private CompletableFuture<Reply> produce(Call call, TransactionContext context) {
        String topic = text(call, "topic");
        NewMessage<byte[]> message = NewMessage.of(Json.write(get(call, "message")));
        long id = get(call, "producer_id").longValue();
        return context.runAsync(tx -> producers.use(tx, id, topic)).thenCompose(producer -> {
            OptionalInt partition = partition(call, producer);
            return topics.append(
                            context,
                            topic(topic),
                            partition.isPresent() ? message.partition(partition.getAsInt()) : message)
                    .thenApply(appended -> ok(QueueReplies.success()));
        });
    }

    private CompletableFuture<Reply> consume(Call call, TransactionContext context) {
        String topic = text(call, "topic");
        long id = get(call, "consumer_id").longValue();
        return consumer(context, topic, id)
                .thenCompose(consumer -> {
                    OptionalInt partition = partition(call, consumer);
                    ConsumerGroup<byte[]> group = group(topic, id);
                    return partition.isPresent()
                            ? group.poll(context, partition.getAsInt(), 1)
                            : group.poll(context, 1);
                })
                .thenApply(messages -> {
                    if (messages.isEmpty()) {
                        throw new ProblemException(Problem.of(404, "empty", "There is no message.")
                                .detail("Consumer " + id + " has read all messages of the topic \"" + topic + "\"."));
                    }
                    return ok(QueueReplies.success().put("message", text(messages.get(0))));
                });
    }

    /** A consumer of a former topic of the same name is none of this one. */
    private CompletableFuture<Client> consumer(TransactionContext context, String topic, long id) {
        return context.runAsync(tx -> consumers.use(tx, id, topic))
                .thenCompose(consumer -> group(topic, id).describe(context).thenApply(found -> consumer));
    }

    /** Other programs append messages that are no texts. */
    private static String text(Message<byte[]> message) {
        if (message.isDeletion()) {
            return "";
        }
        byte[] value = message.value();
        return Json.payloadIfJson(value)
                .map(Json::parsed)
                .filter(JsonNode::isString)
                .map(JsonNode::stringValue)
                .orElseGet(() -> new String(value, StandardCharsets.UTF_8));
    }

    private CompletableFuture<Reply> size(Call call, ReadTransactionContext context) {
        String topic = text(call, "topic");
        long id = get(call, "consumer_id").longValue();
        return context.readAsync(tx -> consumers.get(tx, id, topic).thenCompose(consumer -> {
                    OptionalInt partition = partition(call, consumer);
                    return group(topic, id).describe(tx).thenApply(info -> size(info, partition));
                }))
                .thenApply(size -> ok(QueueReplies.success().put("size", size)));
    }

    private static long size(GroupInfo info, OptionalInt partition) {
        return partition.isPresent()
                ? info.partitions().stream()
                        .filter(one -> one.partition() == partition.getAsInt())
                        .mapToLong(GroupInfo.PartitionLag::lag)
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "Topic \"" + info.topicName() + "\" has no partition " + partition.getAsInt() + "."))
                : info.lag();
    }
}
