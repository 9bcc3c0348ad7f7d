package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A way to a database that notes by what names the transactions go that are opened through it. A try is noted when what
 * it does in its transaction has ended: before that, it may not have given all its names.
 */
final class LabelledDatabase {
    private static final Set<String> TRANSACTIONS = Set.of("run", "read", "runAsync", "readAsync");
    private static final int IDENTIFIER = 403;
    private static final int TAG = 800;

    private final Database target;
    private final List<Label> labels = new CopyOnWriteArrayList<>();
    private final Map<String, CompletableFuture<Label>> first = new ConcurrentHashMap<>();

    /** The tags and the identifiers that were given to one try of a transaction. */
    record Label(Set<String> tags, Set<String> identifiers) {
        Label() {
            this(new TreeSet<>(), new TreeSet<>());
        }
    }

    LabelledDatabase(Database target) {
        this.target = target;
    }

    Database asDatabase() {
        return DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            if (TRANSACTIONS.contains(method.getName())) {
                arguments[0] = labelled((Function<?, ?>) Objects.requireNonNull(arguments[0]));
            }
            Object result = DatabaseProxies.invoke(target, method, arguments);
            return result instanceof Transaction created ? labelled(created) : result;
        });
    }

    /** A transaction without a loop; what it does has ended when it commits or fails. */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller of the forwarded method gets it
    private Transaction labelled(Transaction tx) {
        Label label = new Label();
        Transaction noting = noting(tx, label);
        return DatabaseProxies.to(Transaction.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "commit" -> note(label);
                case "onError" -> {
                    return tx.onError((Throwable) Objects.requireNonNull(arguments[0]))
                            .thenApply(this::labelled);
                }
                default -> {}
            }
            return DatabaseProxies.invoke(noting, method, arguments);
        });
    }

    /** {@return the labels of all tries that have ended} */
    List<Label> labels() {
        return List.copyOf(labels);
    }

    Set<String> identifiers() {
        return labels.stream().flatMap(label -> label.identifiers.stream()).collect(Collectors.toSet());
    }

    /** {@return completes when a try has ended that goes by an identifier} */
    CompletableFuture<Label> first(String identifier) {
        return first.computeIfAbsent(identifier, unused -> new CompletableFuture<>());
    }

    @SuppressWarnings({"unchecked", "FutureReturnValueIgnored"}) // a future goes to whoever opened the transaction
    private Function<Transaction, Object> labelled(Function<?, ?> body) {
        return tx -> {
            Label label = new Label();
            Object result = ((Function<Transaction, Object>) body).apply(noting(tx, label));
            if (result instanceof CompletableFuture<?> future) {
                return future.whenComplete((value, thrown) -> note(label));
            }
            note(label);
            return result;
        };
    }

    private void note(Label label) {
        labels.add(label);
        label.identifiers.forEach(identifier -> first(identifier).complete(label));
    }

    private Transaction noting(Transaction tx, Label label) {
        return DatabaseProxies.to(
                Transaction.class,
                (self, method, arguments) -> method.getName().equals("options")
                        ? noting(tx.options(), label)
                        : DatabaseProxies.invoke(tx, method, arguments));
    }

    private TransactionOptions noting(TransactionOptions options, Label label) {
        return new TransactionOptions((code, value) -> {
            if (code == TAG) {
                label.tags.add(new String(value, StandardCharsets.UTF_8));
            } else if (code == IDENTIFIER) {
                label.identifiers.add(new String(value, StandardCharsets.UTF_8));
            }
            options.getOptionConsumer().setOption(code, value);
        });
    }
}
