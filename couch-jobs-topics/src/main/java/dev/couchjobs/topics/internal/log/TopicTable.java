package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.topics.TopicExistsException;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Which topics there are. */
public final class TopicTable {
    private static final SafeLog LOG = SafeLog.of(TopicTable.class);
    private static final int LOGGED_MAX = 100;

    /** The rows that were logged because they cannot be read. */
    private final Set<String> logged = ConcurrentHashMap.newKeySet(0);

    private final TopicKeys keys;
    /** By the ids of topics; an id is never used again. */
    private final ConcurrentMap<Long, Log> logs = new ConcurrentHashMap<>();

    public TopicTable(TopicKeys keys) {
        this.keys = keys;
    }

    /** A topic and its row. */
    public record Named(String name, TopicRow row) {}

    /** {@return the row of a topic} */
    public CompletableFuture<Optional<TopicRow>> find(ReadTransaction tx, String name) {
        return tx.get(keys.topic(name))
                .thenApply(value -> Optional.ofNullable(value).map(TopicRow::decode));
    }

    /** {@return the row of a topic that has to be there} */
    public CompletableFuture<TopicRow> get(ReadTransaction tx, String name) {
        return find(tx, name).thenApply(row -> row.orElseThrow(() -> new TopicNotFoundException(name)));
    }

    /** {@return a watch that fires when a topic is created, changed or deleted} */
    public CompletableFuture<Void> watch(Transaction tx, String name) {
        return tx.watch(keys.topic(name));
    }

    /** {@return the log of a topic, to read or to append} */
    public Log log(TopicRow row) {
        return logs.computeIfAbsent(row.id(), id -> new Log(keys.log(id)));
    }

    /** {@return topics in the order of their names, without those whose rows cannot be read} */
    public CompletableFuture<List<Named>> list(ReadTransaction tx, Optional<String> after, int limit) {
        return list(tx, after.map(keys::topicsAfter).orElse(keys.topics()), limit);
    }

    private CompletableFuture<List<Named>> list(ReadTransaction tx, Range range, int limit) {
        return tx.getRange(range, limit, false, StreamingMode.WANT_ALL).asList().thenCompose(rows -> {
            List<Named> found = new ArrayList<>();
            rows.forEach(row -> readable(row).ifPresent(found::add));
            if (found.size() == rows.size() || rows.size() < limit) {
                return CompletableFuture.completedFuture(found);
            }
            byte[] behind = ByteArrayUtil.keyAfter(rows.get(rows.size() - 1).getKey());
            return list(tx, new Range(behind, range.end), limit - found.size()).thenApply(rest -> {
                found.addAll(rest);
                return found;
            });
        });
    }

    private Optional<Named> readable(KeyValue row) {
        try {
            return Optional.of(named(row));
        } catch (RuntimeException e) { // tuples of damaged bytes fail in many ways
            if (logged.add(ByteArrayUtil.printable(row.getKey())) && logged.size() <= LOGGED_MAX) {
                LOG.warn("Left out a topic whose row cannot be read: {}", ByteArrayUtil.printable(row.getKey()), e);
            }
            return Optional.empty();
        }
    }

    private Named named(KeyValue row) {
        return new Named(keys.nameOf(row.getKey()), TopicRow.decode(row.getValue()));
    }

    /** {@return false if it was there with these settings, unless an earlier try with this id has created it} */
    public CompletableFuture<Boolean> create(
            Transaction tx, String name, TopicSettings settings, long id, Instant now) {
        return find(tx, name).thenApply(present -> {
            if (present.isEmpty()) {
                tx.set(keys.topic(name), new TopicRow(id, settings, now).encode());
                return true;
            }
            if (present.get().id() == id) {
                return true;
            }
            TopicSettings those = present.get().settings();
            if (!those.equals(settings)) {
                throw new TopicExistsException(name, those);
            }
            return false;
        });
    }

    public CompletableFuture<Void> change(Transaction tx, String name, TopicSettings settings) {
        return get(tx, name).thenAccept(row -> {
            if (settings.partitions() < row.settings().partitions()) {
                throw new IllegalArgumentException("Topic \"" + name + "\" has "
                        + row.settings().partitions() + " partitions, which hold messages; it cannot have fewer, such"
                        + " as " + settings.partitions() + ".");
            }
            if (settings.compactAfter().isPresent()
                    != row.settings().compactAfter().isPresent()) {
                throw new IllegalArgumentException("Topic \"" + name + "\" is "
                        + (settings.compactAfter().isPresent() ? "not " : "")
                        + "compacted, and stays so: create another topic, and append its messages there.");
            }
            if (settings.compactAfter().isPresent()
                    && settings.partitions() != row.settings().partitions()) {
                throw new IllegalArgumentException("Topic \"" + name + "\" is compacted, and keeps its "
                        + row.settings().partitions() + " partitions: a key would go to another one, away from the"
                        + " messages that it supersedes.");
            }
            tx.set(keys.topic(name), row.with(settings).encode());
        });
    }

    /** {@return whether there was one} */
    public CompletableFuture<Boolean> delete(Transaction tx, String name) {
        return find(tx, name).thenApply(present -> {
            present.ifPresent(row -> {
                tx.clear(keys.topic(name));
                tx.clear(keys.log(row.id()).all());
                logs.remove(row.id());
            });
            return present.isPresent();
        });
    }
}
