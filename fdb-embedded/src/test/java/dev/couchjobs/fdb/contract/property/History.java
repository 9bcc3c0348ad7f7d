package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.Futures;
import dev.couchjobs.fdb.contract.Keyspace;
import dev.couchjobs.fdb.contract.property.Execution.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Runs several transactions at once, one call at a time, in an order drawn from a seed. */
final class History {

    private static final int CONFLICT = 1020;

    private final Keyspace keys;
    private final Random random;
    private final List<Running> transactions = new ArrayList<>();

    private History(Database database, Keyspace keys, List<List<Operation>> programs, long seed) {
        this.keys = keys;
        this.random = new Random(seed);
        for (List<Operation> program : programs) {
            transactions.add(new Running(database.createTransaction(), program));
        }
    }

    /**
     * What happened, or nothing if an error that has nothing to do with the programs got in between: a cluster may give
     * one at any time.
     *
     * @param together whether to ask for all commits before waiting for any
     */
    static Optional<List<Execution>> run(
            Database database, Keyspace keys, List<List<Operation>> programs, long seed, boolean together) {
        History history = new History(database, keys, programs, seed);
        try {
            history.interleave();
            history.commit(together);
            return Optional.of(
                    history.transactions.stream().map(Running::execution).toList());
        } catch (RuntimeException e) {
            Futures.codeOf(e);
            return Optional.empty();
        } finally {
            history.transactions.forEach(running -> running.tr.close());
        }
    }

    private void interleave() {
        List<Running> open = new ArrayList<>(transactions);
        while (!open.isEmpty()) {
            Running next = open.get(random.nextInt(open.size()));
            if (next.isFinished()) {
                open.remove(next);
            } else {
                next.step(keys);
            }
        }
    }

    private void commit(boolean together) {
        List<Running> order = new ArrayList<>(transactions);
        Collections.shuffle(order, random);
        if (together) {
            order.forEach(Running::startCommit);
            order.forEach(Running::awaitCommit);
        } else {
            order.forEach(running -> {
                running.startCommit();
                running.awaitCommit();
            });
        }
    }

    private static final class Running {

        private final Transaction tr;
        private final List<Operation> program;
        private final List<Step> steps = new ArrayList<>();
        private long readVersion = -1;
        private CompletableFuture<byte[]> stamp = new CompletableFuture<>();
        private CompletableFuture<Void> commit = new CompletableFuture<>();
        private boolean conflicted;

        Running(Transaction tr, List<Operation> program) {
            this.tr = tr;
            this.program = program;
        }

        boolean isFinished() {
            return steps.size() == program.size();
        }

        void step(Keyspace keys) {
            if (readVersion < 0) {
                readVersion = Futures.await(tr.getReadVersion());
            }
            Operation operation = program.get(steps.size());
            steps.add(new Step(operation, operation.run(tr, keys)));
        }

        void startCommit() {
            stamp = tr.getVersionstamp();
            commit = tr.commit();
        }

        void awaitCommit() {
            int code = Futures.codeOf(commit);
            conflicted = code == CONFLICT;
            if (code != 0 && !conflicted) {
                Futures.await(commit);
            }
        }

        Execution execution() {
            boolean wrote = tr.getCommittedVersion() != -1;
            return new Execution(
                    steps, readVersion, wrote ? Versionstamp.complete(Futures.await(stamp)) : null, conflicted);
        }
    }
}
