package dev.couchjobs.fdb.contract.property;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** More than FoundationDB promises, for engines that can: no commit conflicts without a reason. */
abstract class ExactConflictsContract extends CommittedHistoriesContract {

    @Test
    void everyConflictHasAReason() {
        check(
                1_000,
                samples -> assertThat(run(samples).conflictsWithoutReason()).isEmpty());
    }
}
