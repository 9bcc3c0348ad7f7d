package dev.couchjobs.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FaultTest {
    private static final double HOURS = 6 * 3_600.0;

    private static List<Fault.Planned> plan(double seconds) {
        return Fault.plan(EnumSet.allOf(Fault.class), 2, seconds, new Random(1));
    }

    @Test
    void aShortSoakHasEachFault() {
        assertThat(plan(10)).extracting(Fault.Planned::fault).containsExactlyInAnyOrder(Fault.values());
    }

    @Test
    void inSixHoursFaultsAreInOrderAndMany() {
        List<Fault.Planned> plan = plan(HOURS);
        assertThat(plan).extracting(Fault.Planned::second).isSorted().allMatch(second -> second < HOURS);
        assertThat(plan)
                .extracting(Fault.Planned::fault)
                .filteredOn(Fault.SERVER::equals)
                .hasSize(36);
        assertThat(plan)
                .extracting(Fault.Planned::fault)
                .filteredOn(Fault.DISK::equals)
                .hasSize(8);
    }

    @Test
    void aSeedRepeatsAPlan() {
        assertThat(plan(HOURS)).isEqualTo(plan(HOURS));
    }

    @Test
    void aSingleServerIsNotKilledAfterTheFirstThird() {
        assertThat(Fault.plan(EnumSet.of(Fault.SERVER), 1, HOURS, new Random(1)))
                .hasSize(36)
                .allMatch(planned -> planned.second() < HOURS / 3);
    }

    @Test
    void whatCannotBeDoneIsNotPlanned() {
        assertThat(Fault.plan(EnumSet.of(Fault.WORKER), 2, HOURS, new Random(1)))
                .extracting(Fault.Planned::fault)
                .containsOnly(Fault.WORKER);
    }
}
