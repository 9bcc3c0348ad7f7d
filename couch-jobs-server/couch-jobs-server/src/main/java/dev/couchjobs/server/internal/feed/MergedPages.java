package dev.couchjobs.server.internal.feed;

import dev.couchjobs.JobsException;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.MessagePage;
import dev.couchjobs.topics.Offset;
import java.util.ArrayList;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One page of the pages of several partitions, read in one transaction behind the same place. It holds the first
 * messages, up to a limit and a size, and knows up to where it holds all.
 */
final class MergedPages {
    /** As of a page of one partition. */
    private static final long BYTES_MAX = 2_000_000;

    private final int limit;
    private final NavigableMap<Offset, Message<byte[]>> held = new TreeMap<>();
    private long bytes;
    /** Behind it there may be messages that are not held. */
    private Optional<Offset> end = Optional.empty();

    private Optional<Offset> furthest = Optional.empty();
    private Optional<Offset> trimmedTo = Optional.empty();

    MergedPages(int limit) {
        this.limit = limit;
    }

    /** Behind the end of a page its partition may have messages that come before those of others. */
    void add(MessagePage<byte[]> page) {
        furthest = last(furthest, Optional.of(page.next()));
        trimmedTo = last(trimmedTo, page.trimmedTo());
        if (!page.isEnd()
                && end.filter(known -> known.compareTo(page.next()) <= 0).isEmpty()) {
            end = Optional.of(page.next());
        }
        page.messages().forEach(message -> {
            held.put(message.offset(), message);
            bytes += size(message);
        });
        end.ifPresent(known -> {
            while (!held.isEmpty() && held.lastKey().compareTo(known) > 0) {
                dropLast();
            }
        });
        while (held.size() > limit || (bytes > BYTES_MAX && held.size() > 1)) {
            dropLast();
            end = Optional.of(held.lastKey());
        }
    }

    private void dropLast() {
        bytes -= size(held.pollLastEntry().getValue());
    }

    private static Optional<Offset> last(Optional<Offset> one, Optional<Offset> other) {
        return one.filter(offset ->
                        other.filter(later -> later.compareTo(offset) > 0).isEmpty())
                .or(() -> other);
    }

    /** Keys and headers are small, and of a message that cannot be decoded only the problem is shown. */
    private static long size(Message<byte[]> message) {
        try {
            return message.isDeletion() ? 0 : message.value().length;
        } catch (JobsException e) {
            return 0;
        }
    }

    MessagePage<byte[]> page() {
        Offset next = held.isEmpty() ? end.or(() -> furthest).orElseThrow() : held.lastKey();
        return new MessagePage<>(new ArrayList<>(held.values()), next, end.isEmpty(), trimmedTo);
    }
}
