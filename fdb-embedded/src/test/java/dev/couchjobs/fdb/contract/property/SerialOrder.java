package dev.couchjobs.fdb.contract.property;

import dev.couchjobs.fdb.contract.property.Execution.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Checks a history against the order that its versionstamps claim. FoundationDB promises that the committed
 * transactions could have run one after the other in that order, that every transaction, committed or not, read one
 * version of the database, and that a commit fails if something it read was written in between.
 */
final class SerialOrder {

    private final Model initial;
    private final List<Execution> all;
    private final List<Execution> writers;

    SerialOrder(Model initial, List<Execution> executions) {
        this.initial = initial;
        this.all = executions;
        this.writers = executions.stream()
                .filter(Execution::isCommittedWriter)
                .sorted(Comparator.comparing(Execution::position))
                .toList();
    }

    /** What no engine may do, in words; empty if the history is sound. */
    List<String> violations() {
        List<String> violations = new ArrayList<>();
        for (Execution execution : all) {
            replay(execution, at(execution.readVersion()), true, "at its read version", violations);
        }
        Model database = initial.copy();
        for (Execution writer : writers) {
            replay(writer, database, false, "at its place in the order of commits", violations);
            writer.applyTo(database);
            if (writers.stream().anyMatch(other -> overwrote(other, writer) && other.isBefore(writer))) {
                violations.add("committed although something it read was written in between: " + writer);
            }
        }
        return violations;
    }

    /** The conflicts that nothing explains; a cluster may have some, an engine of one process should not. */
    List<Execution> conflictsWithoutReason() {
        return all.stream()
                .filter(Execution::conflicted)
                .filter(loser -> writers.stream().noneMatch(writer -> explains(writer, loser)))
                .toList();
    }

    /** The rows at the end. */
    List<String> finalRows() {
        return at(Long.MAX_VALUE).render();
    }

    private Model at(long version) {
        Model database = initial.copy();
        for (Execution writer : writers) {
            if (writer.commitVersion() <= version) {
                writer.applyTo(database);
            }
        }
        return database;
    }

    private static void replay(
            Execution execution, Model database, boolean withSnapshotReads, String when, List<String> violations) {
        Model view = database.copy();
        boolean hasComparedAndCleared = false;
        for (Step step : execution.steps()) {
            String expected = step.call().run(view);
            boolean checked = withSnapshotReads || isSerializable(step.call(), hasComparedAndCleared);
            hasComparedAndCleared |= step.call().isCompareAndClear();
            if (checked && !expected.equals(step.result()) && !expected.equals(TransactionCall.UNKNOWN)) {
                violations.add("%s gave %s, and would have given %s %s: %s"
                        .formatted(step.call(), step.result(), expected, when, execution));
            }
        }
    }

    /**
     * FoundationDB's client resolves selectors over a key that this transaction has removed with {@code
     * COMPARE_AND_CLEAR}, and adds no read conflict for the key (ConflictsContract).
     */
    private static boolean isSerializable(TransactionCall call, boolean hasComparedAndCleared) {
        return call.isSerializableRead() && !(hasComparedAndCleared && call instanceof TransactionCall.GetSelected);
    }

    /** Whether the writer committed after the reader's read version, on something that the reader read. */
    private boolean overwrote(Execution writer, Execution reader) {
        return writer.commitVersion() > reader.readVersion()
                && footprint(reader).readsWhatIsWrittenBy(footprint(writer));
    }

    private boolean explains(Execution writer, Execution loser) {
        return writer.commitVersion() > loser.readVersion()
                && footprint(loser).mayReadWhatIsWrittenBy(footprint(writer));
    }

    private ReadWriteSet footprint(Execution execution) {
        return execution.footprint(at(execution.readVersion()));
    }
}
