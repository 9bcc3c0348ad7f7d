package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobReportTest {
    @Test
    void figuresAreGivenAsMultiplesOfThePeers() {
        JobResults results = new JobResults();
        results.add(Scenario.DRAIN, SystemKind.COUCH_JOBS, rate("1 worker", 300));
        results.add(Scenario.DRAIN, SystemKind.COUCH_JOBS, rate("8 workers", 500));
        results.add(Scenario.DRAIN, SystemKind.DB_SCHEDULER, rate("1 worker", 100));
        results.add(Scenario.DRAIN, SystemKind.JOBRUNR, rate("8 workers", 1000));
        results.add(Scenario.DEPTH, SystemKind.JOBRUNR, rate("2,000 pending", 1));
        assertThat(results.table(Scenario.DRAIN).toString().lines().skip(1).map(String::strip))
                .map(line -> line.replaceAll(" +", " "))
                .containsExactly("1 worker 3.00 -", "8 workers - 0.50");
    }

    @Test
    void whatOnlyWeAreAskedIsGivenAsItIs() {
        JobResults results = new JobResults();
        results.add(Scenario.COST, SystemKind.COUCH_JOBS, new Figure("keys written", "per job", 2.5, 10, 0, 0));
        assertThat(results.table(Scenario.COST).toString().lines().skip(1))
                .map(line -> line.replaceAll(" +", " "))
                .containsExactly("keys written 2.50 per job");
    }

    @Test
    void jsonHasEveryFigureAsItWasMeasured() {
        JobResults results = new JobResults();
        results.add(Scenario.DRAIN, SystemKind.JOBRUNR, new Figure("1 worker", Figure.RATE, 12.5, 100, 1, 2));
        assertThat(results.json(JobSettings.parse(), "no PostgreSQL"))
                .contains("{\"scenario\": \"DRAIN\", \"row\": \"1 worker\", \"system\": \"JOBRUNR\", \"value\": 12.5,"
                        + " \"unit\": \"jobs/s\", \"jobs\": 100, \"lost\": 1, \"doubled\": 2}");
    }

    @Test
    void jobsThatWereLostOrDoubledAreReported() {
        JobResults results = new JobResults();
        results.add(Scenario.DRAIN, SystemKind.COUCH_JOBS, rate("1 worker", 300));
        assertThat(results.faults()).isEmpty();
        results.add(Scenario.DRAIN, SystemKind.COUCH_JOBS, new Figure("4 workers", Figure.RATE, 300, 100, 1, 2));
        assertThat(results.faults())
                .containsExactly("drain, 4 workers, couch-jobs: of 100 jobs 1 were lost and 2 runs were too many");
    }

    @Test
    void aTallyKnowsWhatWasLostAndWhatWasDoubled() {
        Tally tally = new Tally(10, 4);
        List.of(12, 10, 12, 9).forEach(tally::run);
        assertThat(tally.begun()).isEqualTo(2);
        assertThat(tally.last(5)).containsExactly(12, 10);
        assertThat(tally.last(1)).containsExactly(10);
        assertThat(tally.lost()).isEqualTo(2);
        assertThat(tally.doubled()).as("12 was run twice and 9 is nobody's").isEqualTo(2);
    }

    @Test
    void percentilesAreValuesThatWereSeen() {
        List<Double> sorted = List.of(1.0, 2.0, 3.0, 4.0);
        assertThat(Latency.at(sorted, 50)).isEqualTo(2.0);
        assertThat(Latency.at(sorted, 99)).isEqualTo(4.0);
    }

    @Test
    void theCommandLineChoosesWhatIsMeasuredOnWhat() {
        JobSettings settings = JobSettings.parse(
                "--directory", "here", "--scenarios", "drain,latency", "--systems", "couch-jobs", "--quick");
        assertThat(settings.directory()).isEqualTo(Path.of("here"));
        assertThat(settings.scenarios()).containsExactly(Scenario.DRAIN, Scenario.LATENCY);
        assertThat(settings.systems()).containsExactly(SystemKind.COUCH_JOBS);
        assertThat(settings.seconds()).isEqualTo(1);
        assertThat(settings.depths()).containsExactly(2_000, 20_000);
    }

    @Test
    void anUnknownOptionIsAnsweredWithThoseThereAre() {
        assertThatThrownBy(() -> JobSettings.parse("--fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fast")
                .hasMessageContaining("--quick");
        assertThatThrownBy(() -> JobSettings.parse("--systems", "quartz"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("db_scheduler");
        assertThatThrownBy(() -> JobSettings.parse("--seconds")).isInstanceOf(IllegalArgumentException.class);
    }

    private static Figure rate(String row, double value) {
        return new Figure(row, Figure.RATE, value, 1_000, 0, 0);
    }
}
