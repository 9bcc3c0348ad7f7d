package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.contract.EngineFutures;
import java.util.function.Consumer;

/** The specification's operations on a transaction as a whole. */
enum TransactionOperation implements Operation {
    NEW_TRANSACTION(StackMachine::newTransaction),
    USE_TRANSACTION(machine -> machine.useTransaction(machine.stack().popBytes())),
    ON_ERROR(TransactionOperation::onError),
    GET_VERSIONSTAMP(machine -> machine.push(machine.transaction().getVersionstamp())),
    SET_READ_VERSION(machine -> machine.transaction().setReadVersion(machine.lastVersion())),
    COMMIT(machine -> machine.push(machine.commit())),
    /** Java has no reset: a new transaction is what comes nearest. */
    RESET(StackMachine::newTransaction),
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
        EngineFutures.await(machine.transaction().getApproximateSize());
        machine.pushAscii("GOT_APPROXIMATE_SIZE");
    });

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Consumer<StackMachine> action;

    TransactionOperation(Consumer<StackMachine> action) {
        this.action = action;
    }

    @Override
    public void run(StackMachine machine, Variant variant) {
        action.accept(machine);
    }

    /** Java hands over to another transaction, and leaves none when it fails. */
    private static void onError(StackMachine machine) {
        machine.settle();
        FDBException error =
                new FDBException("made up by the stack machine", machine.stack().popInt());
        try {
            Transaction next = EngineFutures.await(machine.transaction().onError(error));
            machine.current().replace(next);
        } catch (RuntimeException failure) {
            machine.newTransaction();
            throw failure;
        }
        machine.push(MachineStack.RESULT_NOT_PRESENT);
    }
}
