package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.tuple.Versionstamp;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Finds what an earlier try of a call has appended. The result of a commit may be unknown; the next try looks for the
 * call's token in the messages since the first try began.
 */
final class TokenSearch {
    private static final int PAGE = 500;

    private final LogReader reader;
    private final long token;

    TokenSearch(LogReader reader, long token) {
        this.reader = reader;
        this.token = token;
    }

    /** {@return the stamp of the commit; empty if there was none} */
    CompletableFuture<Optional<Versionstamp>> find(ReadTransaction tx, int partition, Versionstamp after) {
        return reader.read(tx, partition, after, PAGE).thenCompose(page -> {
            List<StoredMessage> messages = page.messages();
            Optional<Versionstamp> found = messages.stream()
                    .filter(message -> message.row() != null
                            && Objects.requireNonNull(message.row()).token() == token)
                    .map(StoredMessage::stamp)
                    .findFirst();
            return found.isPresent() || page.isEnd()
                    ? CompletableFuture.completedFuture(found)
                    : find(tx, partition, messages.get(messages.size() - 1).stamp());
        });
    }
}
