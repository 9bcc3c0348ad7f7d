package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.contract.Futures;
import java.util.function.Consumer;

/** The specification's operations on a transaction as a whole. */
enum TransactionOperation implements Operation {
    NEW_TRANSACTION(Machine::newTransaction),
    USE_TRANSACTION(machine -> machine.useTransaction(machine.stack().popBytes())),
    ON_ERROR(TransactionOperation::onError),
    GET_VERSIONSTAMP(machine -> machine.push(machine.transaction().getVersionstamp())),
    SET_READ_VERSION(machine -> machine.transaction().setReadVersion(machine.lastVersion())),
    COMMIT(machine -> machine.push(machine.commit())),
    /** Java has no reset: a new transaction is what comes nearest. */
    RESET(Machine::newTransaction),
    CANCEL(machine -> {
        machine.settle();
        machine.transaction().cancel();
    }),
    GET_COMMITTED_VERSION(machine -> {
        machine.settle();
        machine.seeVersion(machine.transaction().getCommittedVersion());
        machine.pushAscii("GOT_COMMITTED_VERSION");
    }),
    /** Not of the specification; to come before all else that a transaction does. */
    DISABLE_READ_YOUR_WRITES(machine -> machine.transaction().options().setReadYourWritesDisable()),
    /** Likewise. */
    DISABLE_SNAPSHOT_READ_YOUR_WRITES(machine -> machine.transaction().options().setSnapshotRywDisable()),
    /** The size itself is not compared: it counts what was fetched ahead of what was asked for. */
    GET_APPROXIMATE_SIZE(machine -> {
        Futures.await(machine.transaction().getApproximateSize());
        machine.pushAscii("GOT_APPROXIMATE_SIZE");
    });

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Consumer<Machine> action;

    TransactionOperation(Consumer<Machine> action) {
        this.action = action;
    }

    @Override
    public void run(Machine machine, Variant variant) {
        action.accept(machine);
    }

    /** Java hands over to another transaction, and leaves none when it fails. */
    private static void onError(Machine machine) {
        machine.settle();
        FDBException error =
                new FDBException("made up by the stack machine", machine.stack().popInt());
        try {
            Transaction next = Futures.await(machine.transaction().onError(error));
            machine.current().replace(next);
        } catch (RuntimeException failure) {
            machine.newTransaction();
            throw failure;
        }
        machine.push(MachineStack.RESULT_NOT_PRESENT);
    }
}
