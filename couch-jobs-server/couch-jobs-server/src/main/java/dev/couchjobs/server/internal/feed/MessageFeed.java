package dev.couchjobs.server.internal.feed;

import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.json.TopicJson;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Messages as server-sent events for one client, until it has got as many as it wanted. */
final class MessageFeed implements Feed {
    private static final int PAGE = 100;

    private final MessagesInTurn messages;
    private Position place;
    private boolean hasPlace;
    private long left;
    /** What the client was told of what is removed: the pages of several partitions say it again. */
    private Optional<Offset> told = Optional.empty();

    /**
     * Makes a feed.
     *
     * @param from where it begins
     * @param hasPlace whether the client knows the offset of that
     */
    MessageFeed(MessagesInTurn messages, Position from, boolean hasPlace, Optional<Long> limit) {
        this.messages = messages;
        this.place = from;
        this.hasPlace = hasPlace;
        this.left = limit.orElse(Long.MAX_VALUE);
    }

    @Override
    public CompletableFuture<Part> next() {
        return messages.read(place, (int) Math.min(PAGE, left), this::part);
    }

    private Part part(MessagePage<byte[]> page) {
        EventText text = new EventText();
        page.trimmedTo()
                .filter(offset ->
                        told.filter(known -> known.compareTo(offset) >= 0).isEmpty())
                .ifPresent(offset -> {
                    told = page.trimmedTo();
                    text.name("trimmed")
                            .data("{\"trimmedTo\": \"" + offset + "\"}")
                            .end();
                });
        page.messages()
                .forEach(message -> text.id(message.offset().toString())
                        .data(Json.write(TopicJson.message(message)))
                        .end());
        // An event without data tells the client's parser where it is, and the client nothing.
        if (page.messages().isEmpty() && !hasPlace) {
            text.id(page.next().toString()).end();
        }
        hasPlace = true;
        place = Position.after(page.next());
        left -= page.messages().size();
        return new Part(text.bytes(), !page.isEnd(), left <= 0);
    }

    @Override
    public CompletableFuture<Boolean> await(Duration timeout) {
        return messages.await(place, timeout);
    }
}
