package dev.couchjobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private final Printed out = new Printed();

    @Test
    void onATerminalTheBarIsRedrawnInPlace() {
        ProgressBar bar = new ProgressBar(out.stream(), true);

        bar.show(new JobWatch.Counts(9, 1, 0));
        bar.show(new JobWatch.Counts(5, 0, 5));
        bar.end();

        assertThat(out.text())
                .isEqualTo("\r[--------------------]   0%  pending 9, running 1, finished 0"
                        + "\r[##########----------]  50%  pending 5, running 0, finished 5" + System.lineSeparator());
    }

    @Test
    void onATerminalOtherLinesStandAboveTheBar() {
        ProgressBar bar = new ProgressBar(out.stream(), true);
        bar.show(new JobWatch.Counts(1, 0, 0));
        String shown = out.text().substring(1);

        bar.say("hear, hear");

        assertThat(out.lines().get(out.lines().size() - 2).stripTrailing()).isEqualTo("hear, hear");
        assertThat(out.text()).endsWith(System.lineSeparator() + shown);
    }

    @Test
    void elsewhereThereIsALineForEveryTenthOfTheWay() {
        ProgressBar bar = new ProgressBar(out.stream(), false);

        for (int finished = 0; finished <= 1_000; finished++) {
            bar.show(new JobWatch.Counts(1_000 - finished, 0, finished));
        }

        assertThat(out.lines()).hasSize(11).noneMatch(line -> line.contains("\r"));
        assertThat(out.lines().get(10)).isEqualTo("[####################] 100%  pending 0, running 0, finished 1000");
    }
}
