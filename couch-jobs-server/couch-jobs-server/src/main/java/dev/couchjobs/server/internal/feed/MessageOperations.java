package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.Database;
import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.api.Operations;
import dev.couchjobs.server.internal.api.PayloadGate;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.Waiting;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.TopicJson;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.Topics;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The messages of a partition, or of a topic: pages, pages that are waited for, and server-sent events. */
public final class MessageOperations {
    private final Topics topics;
    private final Database database;
    private final Streams streams;
    private final PayloadGate payloads;

    public MessageOperations(Topics topics, Database database, Streams streams, PayloadGate payloads) {
        this.payloads = payloads;
        this.topics = topics;
        this.database = database;
        this.streams = streams;
    }

    public void bind(Operations operations) {
        operations.act(
                "listMessages",
                call -> read(
                        call,
                        new PartitionMessages(
                                topics, database, topic(call), Integer.parseInt(call.part("partition")))));
        operations.act("listAllMessages", call -> read(call, new TopicMessages(topics, database, topic(call))));
    }

    private static Topic<byte[]> topic(Call call) {
        return Topic.of(call.name(), byte[].class);
    }

    private CompletableFuture<Reply> read(Call call, Messages all) {
        MessagesInTurn messages = new MessagesInTurn(all, payloads);
        Position from = call.text("from").map(TopicJson::position).orElse(Position.earliest());
        return Streams.wantsEvents(call) ? stream(call, messages, from) : page(call, messages, from);
    }

    /** @param saysNothing whether a client that waits waits on */
    private record Page(boolean saysNothing, Reply reply) {}

    private CompletableFuture<Reply> page(Call call, MessagesInTurn messages, Position from) {
        // What is waited for comes behind the place that the first read has found.
        Position[] place = {from};
        Waiting<Page> waiting = new Waiting<>(
                () -> messages.read(place[0], call.limit(), page -> {
                    if (page.messages().isEmpty()) {
                        place[0] = Position.after(page.next());
                    }
                    return page(page);
                }),
                Page::saysNothing,
                left -> messages.await(place[0], left),
                call.waitUntil());
        return waiting.run(call.connection()).thenApply(Page::reply);
    }

    private static Page page(MessagePage<byte[]> page) {
        return new Page(
                page.messages().isEmpty() && page.trimmedTo().isEmpty(),
                Reply.ok(new Fields()
                        .putAll("items", page.messages(), TopicJson::message)
                        .put("next", page.next().toString())
                        .put("end", page.isEnd())
                        .text("trimmedTo", page.trimmedTo().map(Offset::toString))
                        .node()));
    }

    /** A client that connects again says in a header behind which event. */
    private CompletableFuture<Reply> stream(Call call, MessagesInTurn messages, Position from) {
        Optional<Position> last = call.header("Last-Event-ID")
                .filter(id -> id.matches("[0-9a-f]{24}"))
                .map(id -> Position.after(Offset.parse(id)));
        Position start = last.orElse(from);
        MessageFeed feed = new MessageFeed(messages, start, last.isPresent(), call.number("limit"));
        // If there is no such topic, the client is told by a status.
        return messages.read(start, 1, found -> true)
                .thenApply(found -> streams.reply(call, Streams.EVENTS, Streams.COMMENT, feed));
    }
}
