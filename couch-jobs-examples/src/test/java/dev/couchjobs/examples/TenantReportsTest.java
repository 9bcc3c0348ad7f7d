package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class TenantReportsTest {
    @Test
    void tenantsKeepTheirSharesAndOperatorsHaveControl() {
        Printed out = new Printed();
        PrintStream before = System.out;
        System.setOut(out.stream());
        try {
            TenantReports.main(new String[0]);
        } finally {
            System.setOut(before);
        }

        assertThat(out.lines())
                .containsExactly(
                        "large: 20 reports, at most two at once: true",
                        "in order: invoice 17, draft; invoice 17, correction; invoice 17, final",
                        "year: 12 reports, and then the summary",
                        "asked twice, made once: true",
                        "nightly: made now, and again at 05:00",
                        "paused for version 2: 1 LIMITED, 1 SCHEDULED",
                        "deployed: the report is FINISHED",
                        "large leaves: 3 reports to come, 3 cancelled",
                        "all: 1 SCHEDULED, 3 CANCELLED, because the tenant has left");
    }
}
