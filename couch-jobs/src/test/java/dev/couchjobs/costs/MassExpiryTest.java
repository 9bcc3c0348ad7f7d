package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What it costs that many jobs fall silent at once: to put them back takes longer than a monitor lease lasts. */
class MassExpiryTest {
    private static final int SILENT = 4_000;
    private static final int PUT_BACK_AT_ONCE = 100;
    private static final int ADDED_AT_ONCE = 500;
    private static final int CLAIMED_AT_ONCE = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration ROUND_TRIP = Duration.ofMillis(100);
    private static final Duration MOMENT = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    @Test
    void tenProcessesPutThemBackInAsManyTransactionsAsOne() {
        assertThat(triesToPutBack(1)).isEqualTo(SILENT / PUT_BACK_AT_ONCE);
        assertThat(triesToPutBack(10)).isEqualTo(SILENT / PUT_BACK_AT_ONCE);
    }

    private static long triesToPutBack(int processes) {
        try (MeasuredStage stage = new MeasuredStage(13, MAIL, ROUND_TRIP);
                CouchJobs client = stage.builder(stage.database()).build()) {
            stage.await(client.types().setTypeTimeout(stage.database(), MAIL, TIMEOUT));
            List<CouchJobs> monitors = Stream.generate(
                            () -> stage.builder(stage.measured()).build())
                    .limit(processes)
                    .toList();
            monitors.forEach(each -> each.maintenance().monitor(MAIL));
            claimAllAndDie(stage, client);
            stage.forget();

            for (Duration passed = Duration.ZERO; running(stage, client) > 0; passed = passed.plus(MOMENT)) {
                assertThat(passed).isLessThan(LONGEST);
                stage.time().advance(MOMENT);
            }

            monitors.forEach(CouchJobs::close);
            return stage.tries().stream()
                    .filter(each -> Cost.writing("pending").test(each.cost()))
                    .count();
        }
    }

    private static void claimAllAndDie(MeasuredStage stage, CouchJobs client) {
        for (int from = 0; from < SILENT; from += ADDED_AT_ONCE) {
            stage.await(client.addAll(
                    stage.database(),
                    IntStream.range(from, from + ADDED_AT_ONCE)
                            .mapToObj(i -> NewJob.of(MAIL, DATA).id(CostFixture.id(i)))
                            .toList()));
        }
        for (int i = 0; i < SILENT; i += CLAIMED_AT_ONCE) {
            assertThat(stage.await(
                            stage.others().processor().accept(MAIL, CLAIMED_AT_ONCE, AcceptOptions.nonBlocking())))
                    .hasSize(CLAIMED_AT_ONCE);
        }
        stage.others().close();
    }

    private static long running(MeasuredStage stage, CouchJobs client) {
        return stage.await(client.counts(stage.database(), MAIL)).running();
    }
}
