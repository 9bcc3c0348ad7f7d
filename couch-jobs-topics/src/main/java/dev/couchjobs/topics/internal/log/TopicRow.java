package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.topics.TopicSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The row of a topic.
 *
 * @param id names its data; drawn at random, so that what was appended to a topic of this name before is no part of it
 */
public record TopicRow(long id, TopicSettings settings, Instant createdAt) {
    private static final long FORMAT = 1;
    private static final long NONE = -1;

    byte[] encode() {
        return Tuple.from(
                        FORMAT,
                        id,
                        settings.partitions(),
                        settings.maxAge().map(Duration::toMillis).orElse(NONE),
                        settings.maxBytes().orElse(NONE),
                        createdAt.toEpochMilli(),
                        List.copyOf(settings.consumedBy()),
                        settings.compactAfter().map(Duration::toMillis).orElse(NONE))
                .pack();
    }

    static TopicRow decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        long maxBytes = row.getLong(4);
        TopicSettings settings = new TopicSettings(
                (int) row.getLong(2),
                duration(row.getLong(3)),
                maxBytes == NONE ? OptionalLong.empty() : OptionalLong.of(maxBytes),
                row.getNestedList(6).stream().map(String.class::cast).collect(Collectors.toSet()),
                duration(row.getLong(7)));
        return new TopicRow(row.getLong(1), settings, Instant.ofEpochMilli(row.getLong(5)));
    }

    private static Optional<Duration> duration(long millis) {
        return millis == NONE ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    TopicRow with(TopicSettings newSettings) {
        return new TopicRow(id, newSettings, createdAt);
    }
}
