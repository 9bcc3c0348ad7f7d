package dev.couchjobs.server.internal.cli;

import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Shows messages of a topic as they come, each in a line. */
final class FollowedMessages {
    private static final int PAGE = 100;
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Session session;
    private final Address messages;
    private Optional<String> place;
    private boolean hasPlace;
    private String told = "";
    private boolean isDown;
    private long left;

    /**
     * Of a topic or a partition.
     *
     * @param messages the address of its messages
     * @param from where to begin
     * @param limit after how many to end
     */
    FollowedMessages(Session session, Address messages, Optional<String> from, Optional<Integer> limit) {
        this.session = session;
        this.messages = messages;
        place = from;
        left = limit.map(Integer::longValue).orElse(Long.MAX_VALUE);
    }

    /** Ends by a signal, when the reader of the output has gone, or behind the last message of the limit. */
    void show() {
        boolean hasEnded = false;
        while (!hasEnded && left > 0 && !session.output().isClosed()) {
            try {
                showPage();
                isDown = false;
                hasEnded = session.stop().isRequested();
            } catch (Failure failure) {
                hasEnded = session.stop().isRequested() || pauseAfter(failure);
            }
        }
    }

    /** The first page says where to go on, so it is not waited for. */
    private void showPage() {
        Address address = messages.with("from", place)
                .with("limit", Optional.of(Math.min(left, PAGE)))
                .with("wait", hasPlace ? Optional.of(WAIT) : Optional.empty());
        JsonNode page = session.stop().waiting(() -> session.api().get(address)).json();
        place = Optional.of(page.path("next").asString());
        tellTrimmed(page.path("trimmedTo").asString(""));
        hasPlace = true;
        JsonNode items = page.path("items");
        items.forEach(message -> session.output().change(message, line(message)));
        left -= items.size();
    }

    /** The pages of several partitions say it again. */
    private void tellTrimmed(String trimmedTo) {
        if (trimmedTo.compareTo(told) > 0) {
            session.output().note("Retention has removed messages before they were read, up to " + trimmedTo);
            told = trimmedTo;
        }
    }

    /** {@return whether a signal has come meanwhile} */
    private boolean pauseAfter(Failure failure) {
        if (!hasPlace || failure.exitCode() != Failure.FAILED) {
            throw failure;
        }
        if (!isDown) {
            RootCommand.report(session.output().shell(), failure);
        }
        isDown = true;
        return session.stop().await(PAUSE);
    }

    private static String line(JsonNode message) {
        StringBuilder line = new StringBuilder();
        for (String field : new String[] {"appendedAt", "partition", "offset"}) {
            line.append(Text.of(message.path(field))).append(' ');
        }
        for (String field : new String[] {"key", "bytes", "problem", "deletion"}) {
            if (message.has(field)) {
                line.append(field)
                        .append('=')
                        .append(Text.of(message.path(field)))
                        .append(' ');
            }
        }
        return line.append(Text.of(message.path("value"))).toString().strip();
    }
}
