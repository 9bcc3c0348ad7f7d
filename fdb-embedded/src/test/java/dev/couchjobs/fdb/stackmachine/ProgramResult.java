package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.fdb.contract.EngineFutures;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a program leaves behind, in the form in which two databases have to agree: what they may answer differently has
 * been taken out, here and nowhere else, except for the two things that {@link NamedTransaction} knows.
 *
 * <ul>
 *   <li>Versions never get onto the stack: the specification pushes that there was one.
 *   <li>Versionstamps are numbered in their order; what surrounds them, user versions included, stays:
 *   {@link RunVersionstamps}.
 *   <li>Errors are their codes; the text is for people.
 *   <li>What a busy or slow cluster may answer at any time makes the whole run worthless: {@link #isDisturbed}.
 *   <li>Sizes, and where a range may be split, are estimates; approximate sizes count what was fetched ahead.
 *   <li>The prefixes that the directory layer draws at random are left out: {@link DirectoryList#describe}.
 * </ul>
 */
record ProgramResult(List<String> stack, List<String> contents, boolean isDisturbed) {

    /** transaction_too_old, future_version, commit_unknown_result, process_behind, cluster_version_changed. */
    private static final Set<String> DISTURBANCES = Set.of("1007", "1009", "1021", "1037", "1039");

    /** Runs the program on an empty part of the database. */
    static ProgramResult of(Program program, TestedDatabase testedDatabase) {
        testedDatabase.database().run(tr -> {
            ProgramKeys.prepare(tr);
            return true;
        });
        StackMachine machine = new StackMachine(testedDatabase);
        try {
            machine.run(program);
            List<MachineStack.Item> items = machine.stack().settled();
            RunVersionstamps runVersionstamps = new RunVersionstamps(machine.stamps());
            List<String> stack = items.stream()
                    .map(item -> item.instruction() + ": " + runVersionstamps.item(item.value()))
                    .toList();
            boolean disturbed = machine.stack().errors().stream().anyMatch(DISTURBANCES::contains);
            return new ProgramResult(stack, contents(testedDatabase.database(), runVersionstamps), disturbed);
        } finally {
            machine.close();
        }
    }

    boolean agreesWith(ProgramResult other) {
        return stack.equals(other.stack) && contents.equals(other.contents);
    }

    private static List<String> contents(Database database, RunVersionstamps runVersionstamps) {
        return database.read(tr -> {
            List<String> lines = new ArrayList<>(rows(tr, runVersionstamps));
            lines.addAll(DirectoryList.describe(tr));
            return lines;
        });
    }

    private static List<String> rows(ReadTransaction tr, RunVersionstamps runVersionstamps) {
        List<String> lines = new ArrayList<>();
        for (KeyValue row : EngineFutures.await(tr.getRange(ProgramKeys.all()).asList())) {
            String key = runVersionstamps.text(row.getKey());
            if (!key.startsWith(ProgramKeys.DIRECTORIES)) {
                lines.add("'" + key + "' = '" + runVersionstamps.text(row.getValue()) + "'");
            }
        }
        return lines;
    }
}
