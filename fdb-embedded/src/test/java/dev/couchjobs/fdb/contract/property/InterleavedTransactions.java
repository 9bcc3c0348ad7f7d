package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.EngineFutures;
import dev.couchjobs.fdb.contract.PrefixKeys;
import dev.couchjobs.fdb.contract.property.Execution.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Runs several transactions at once, one call at a time, in an order drawn from a seed. */
final class InterleavedTransactions {

    private static final int CONFLICT = 1020;

    private final PrefixKeys keys;
    private final Random random;
    private final List<Running> transactions = new ArrayList<>();

    private InterleavedTransactions(
            Database database, PrefixKeys keys, List<List<TransactionCall>> programs, long seed) {
        this.keys = keys;
        this.random = new Random(seed);
        for (List<TransactionCall> program : programs) {
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
            Database database, PrefixKeys keys, List<List<TransactionCall>> programs, long seed, boolean together) {
        InterleavedTransactions interleavedTransactions = new InterleavedTransactions(database, keys, programs, seed);
        try {
            interleavedTransactions.interleave();
            interleavedTransactions.commit(together);
            return Optional.of(interleavedTransactions.transactions.stream()
                    .map(Running::execution)
                    .toList());
        } catch (RuntimeException e) {
            EngineFutures.codeOf(e);
            return Optional.empty();
        } finally {
            interleavedTransactions.transactions.forEach(running -> running.tr.close());
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
        private final List<TransactionCall> program;
        private final List<Step> steps = new ArrayList<>();
        private long readVersion = -1;
        private CompletableFuture<byte[]> stamp = new CompletableFuture<>();
        private CompletableFuture<Void> commit = new CompletableFuture<>();
        private boolean conflicted;

        Running(Transaction tr, List<TransactionCall> program) {
            this.tr = tr;
            this.program = program;
        }

        boolean isFinished() {
            return steps.size() == program.size();
        }

        void step(PrefixKeys keys) {
            if (readVersion < 0) {
                readVersion = EngineFutures.await(tr.getReadVersion());
            }
            TransactionCall call = program.get(steps.size());
            steps.add(new Step(call, call.run(tr, keys)));
        }

        void startCommit() {
            stamp = tr.getVersionstamp();
            commit = tr.commit();
        }

        void awaitCommit() {
            int code = EngineFutures.codeOf(commit);
            conflicted = code == CONFLICT;
            if (code != 0 && !conflicted) {
                EngineFutures.await(commit);
            }
        }

        Execution execution() {
            boolean wrote = tr.getCommittedVersion() != -1;
            return new Execution(
                    steps, readVersion, wrote ? Versionstamp.complete(EngineFutures.await(stamp)) : null, conflicted);
        }
    }
}
