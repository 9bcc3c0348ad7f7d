package dev.couchjobs.fdb.contract.property;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** More than FoundationDB promises, for engines that can: no commit conflicts without a reason. */
abstract class ExactConflictsContract extends CommittedHistoriesContract {

    @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
    void everyConflictHasAReason(
            @ForAll("rows") Map<Integer, String> rows,
            @ForAll("transactions") List<List<TransactionCall>> programs,
            @ForAll long seed,
            @ForAll boolean together) {
        assertThat(run(rows, programs, seed, together).conflictsWithoutReason()).isEmpty();
    }
}
