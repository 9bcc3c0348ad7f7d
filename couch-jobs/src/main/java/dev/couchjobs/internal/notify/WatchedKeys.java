package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.feed.ChangeFeed;
import dev.couchjobs.internal.feed.FeedKeys;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.types.TypeTimeouts;
import dev.couchjobs.loop.ArmedWatch;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The keys that change with the jobs that a {@link ChangeWatch} follows. */
interface WatchedKeys {

    /**
     * The result of one transaction, which has read all changes before the watches that it has armed.
     *
     * @param lastChange the last change of all
     * @param names the names of the keys to watch
     * @param armed the new watches, by the names of their keys
     * @param isComplete whether these keys change with every change
     */
    record Reading(
            Optional<Versionstamp> lastChange, Set<String> names, Map<String, ArmedWatch> armed, boolean isComplete) {}

    /**
     * Reads the last change, and arms watches.
     *
     * @param armed the names of the keys that are watched already
     */
    CompletableFuture<Reading> read(Transaction tx, Set<String> armed);

    /** The key that each change of a type's jobs changes. */
    record OfType(TypeKeys keys) implements WatchedKeys {
        @Override
        public CompletableFuture<Reading> read(Transaction tx, Set<String> armed) {
            String name = keys.typeName();
            Map<String, byte[]> watched = armed.contains(name)
                    ? Map.of()
                    : Map.of(name, FeedKeys.of(keys).watchesActivity());
            return ChangeFeed.lastChange(tx, keys)
                    .thenCompose(last -> arm(tx, watched)
                            .thenApply(watches -> new Reading(Optional.ofNullable(last), Set.of(name), watches, true)));
        }
    }

    /**
     * The keys of all types that have a timeout or have changed, and the key that a new type changes: no job is added
     * to a type without a timeout.
     */
    record OfAllTypes(Keyspace keyspace) implements WatchedKeys {
        /** A FoundationDB client has 10,000 watches, of which other parts of the application need some. */
        private static final int TYPES_MAX = 1_000;

        /** No type has this name. */
        private static final String NEW_TYPES = "";

        @Override
        public CompletableFuture<Reading> read(Transaction tx, Set<String> armed) {
            return ChangeFeed.lastChanges(tx, keyspace)
                    .thenCombine(TypeTimeouts.types(tx, keyspace), Changes::new)
                    .thenCompose(changes -> read(tx, armed, changes));
        }

        /**
         * What is known of all types.
         *
         * @param last the last change of each type that has changed
         * @param types those that have a timeout
         */
        private record Changes(Map<String, Versionstamp> last, List<String> types) {
            /** {@return all types; those that have changed last are the first} */
            Set<String> all() {
                Set<String> all = new LinkedHashSet<>(last.entrySet().stream()
                        .sorted(Map.Entry.<String, Versionstamp>comparingByValue()
                                .reversed())
                        .map(Map.Entry::getKey)
                        .toList());
                all.addAll(types);
                return all;
            }
        }

        private CompletableFuture<Reading> read(Transaction tx, Set<String> armed, Changes changes) {
            Set<String> all = changes.all();
            Map<String, byte[]> watched = new LinkedHashMap<>();
            all.stream()
                    .limit(TYPES_MAX)
                    .forEach(type ->
                            watched.put(type, FeedKeys.of(keyspace.type(type)).watchesActivity()));
            boolean isComplete = watched.size() == all.size();
            watched.put(NEW_TYPES, keyspace.row("watches_in_use"));
            Set<String> names = Set.copyOf(watched.keySet());
            watched.keySet().removeAll(armed);
            return arm(tx, watched)
                    .thenApply(watches -> new Reading(
                            changes.last().values().stream().max(Comparator.naturalOrder()),
                            names,
                            watches,
                            isComplete));
        }
    }

    private static CompletableFuture<Map<String, ArmedWatch>> arm(Transaction tx, Map<String, byte[]> watched) {
        Map<String, CompletableFuture<ArmedWatch>> watches = new LinkedHashMap<>();
        watched.forEach((name, key) -> watches.put(name, ArmedWatch.arm(tx, key)));
        return Futures.valuesOf(watches);
    }
}
