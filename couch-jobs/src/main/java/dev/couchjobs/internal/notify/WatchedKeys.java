package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.data.ChangeFeed;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.data.TypeTimeouts;
import java.util.Comparator;
import java.util.HashMap;
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
            Optional<Versionstamp> lastChange,
            Set<String> names,
            Map<String, CompletableFuture<Void>> armed,
            boolean isComplete) {}

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
            return ChangeFeed.lastChange(tx, keys)
                    .thenApply(last -> new Reading(
                            Optional.ofNullable(last),
                            Set.of(name),
                            armed.contains(name) ? Map.of() : Map.of(name, tx.watch(keys.watchesActivity())),
                            true));
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
            return ChangeFeed.lastChanges(tx, keyspace).thenCombine(TypeTimeouts.types(tx, keyspace), (last, types) -> {
                Set<String> all = new LinkedHashSet<>(last.entrySet().stream()
                        .sorted(Map.Entry.<String, Versionstamp>comparingByValue()
                                .reversed())
                        .map(Map.Entry::getKey)
                        .toList());
                all.addAll(types);
                List<String> watched = all.stream().limit(TYPES_MAX).toList();
                Map<String, CompletableFuture<Void>> watches = new HashMap<>();
                watched.stream()
                        .filter(type -> !armed.contains(type))
                        .forEach(type ->
                                watches.put(type, tx.watch(keyspace.type(type).watchesActivity())));
                if (!armed.contains(NEW_TYPES)) {
                    watches.put(NEW_TYPES, tx.watch(keyspace.watchesInUse()));
                }
                Set<String> names = new LinkedHashSet<>(watched);
                names.add(NEW_TYPES);
                return new Reading(
                        last.values().stream().max(Comparator.naturalOrder()),
                        names,
                        watches,
                        watched.size() == all.size());
            });
        }
    }
}
