package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.DeadLetter;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.rows.Keyspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs that have failed for good are listed, and can be sent again, one or all. */
class DeadLettersContract extends SumsContract {
    private static final JobType<WorkData, Integer> ONCE = SUM.retry(RetryPolicy.never());

    private Page<DeadLetter> page(PageRequest request) {
        return await(sums.deadLetters().list(database, SUM, request));
    }

    private List<String> listed() {
        return idsOf(page(PageRequest.of(1_000)));
    }

    private static List<String> idsOf(Page<DeadLetter> page) {
        return page.items().stream().map(DeadLetter::jobId).toList();
    }

    @Test
    void aJobThatHasFailedForGoodIsListedWithItsError() {
        failMany(ONCE, 1);
        running("another");

        Page<DeadLetter> page = page(PageRequest.of(10));

        assertThat(page.next()).isEmpty();
        assertThat(page.items()).singleElement().satisfies(letter -> {
            assertThat(letter.jobId()).isEqualTo("j0");
            assertThat(letter.failedAt()).isEqualTo(NOON);
            assertThat(letter.failures()).isEqualTo(1);
            assertThat(letter.claims()).isEqualTo(1);
            assertThat(letter.error()).startsWith("java.lang.IllegalStateException: no j0");
        });
    }

    @Test
    void aListingComesInPagesOldestFirstOrNewestFirst() {
        failMany(ONCE, 5);
        List<String> inOrder = listed();
        assertThat(inOrder).hasSize(5);

        for (PageRequest first : List.of(PageRequest.of(2), PageRequest.of(2).newestFirst())) {
            List<String> ids = new ArrayList<>();
            Page<DeadLetter> page = page(first);
            ids.addAll(idsOf(page));
            while (page.next().isPresent()) {
                assertThat(page.items()).hasSize(2);
                page = page(first.after(page.next().get()));
                ids.addAll(idsOf(page));
            }
            List<String> expected = first.isNewestFirst() ? reversed(inOrder) : inOrder;
            assertThat(ids).isEqualTo(expected);
        }
    }

    private static List<String> reversed(List<String> ids) {
        return IntStream.range(0, ids.size())
                .mapToObj(i -> ids.get(ids.size() - 1 - i))
                .toList();
    }

    @Test
    void aPageOfNonsenseIsRefused() {
        assertThatThrownBy(() -> PageRequest.of(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PageRequest.of(1_001)).isInstanceOf(IllegalArgumentException.class);
        for (String nonsense : List.of("", "nonsense", "?")) {
            PageRequest request = PageRequest.of(10).after(nonsense);
            assertThatThrownBy(() -> sums.deadLetters().list(database, SUM, request))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("page before");
        }
    }

    @Test
    void aJobThatIsSentAgainHasAllItsAttemptsAndItsHistory() {
        JobType<WorkData, Integer> twice = SUM.retry(RetryPolicy.standard().attempts(2));
        await(sums.processor().fail(database, running(twice, "j1"), new IllegalStateException("one")));
        await(sums.processor().fail(database, claim(twice, "j1"), new IllegalStateException("two")));
        assertThat(listed()).containsExactly("j1");

        assertThat(await(sums.deadLetters().retry(database, SUM, "j1"))).isTrue();

        assertThat(listed()).isEmpty();
        assertThat(state("j1")).isEqualTo(JobState.PENDING);
        assertThat(info("j1").scheduledTime()).isEmpty();
        assertThat(info("j1").failures()).isZero();
        assertThat(info("j1").data()).isEqualTo(new WorkData(1));
        assertThat(await(sums.processor().fail(database, claim(twice, "j1"), new IllegalStateException("three"))))
                .isEqualTo(JobState.PENDING);
        assertThat(await(sums.details().attempts(database, SUM, "j1"))).hasSize(3);
        assertThat(info("j1").claims()).isEqualTo(3);
    }

    @Test
    void aJobThatHasNotFailedIsNotSentAgain() {
        await(sums.processor().finish(database, running("done")));
        running("running");

        assertThat(await(sums.deadLetters().retry(database, SUM, "done"))).isFalse();
        assertThat(await(sums.deadLetters().retry(database, SUM, "running"))).isFalse();
        assertThat(await(sums.deadLetters().retry(database, SUM, "nobody"))).isFalse();
        assertThat(state("done")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aJobIsSentAgainTogetherWithWhatTheCallerWritesOrNotAtAll() {
        failMany(ONCE, 1);

        failureOf(database.runAsync(tx -> sums.deadLetters()
                .retry(tx, SUM, "j0")
                .thenCompose(sent -> {
                    assertThat(sent).isTrue();
                    return sums.deadLetters().list(tx, SUM, PageRequest.of(10)).thenCompose(page -> {
                        assertThat(page.items()).isEmpty();
                        return CompletableFuture.failedFuture(new IllegalStateException("the caller's"));
                    });
                })));

        assertThat(listed()).containsExactly("j0");
    }

    @Test
    void allAreSentAgainThoughTheyAreMoreThanFitIntoOneTransaction() {
        failMany(ONCE, 250);

        assertThat(await(sums.deadLetters().retryAll(SUM))).isEqualTo(250);

        assertThat(listed()).isEmpty();
        var counts = await(database.readAsync(tx -> StateCounters.read(tx, new Keyspace(prefix).type("sum"))));
        assertThat(counts.pending()).isEqualTo(250);
        assertThat(counts.total()).isEqualTo(250);
        assertThat(rows.under("pending", "sum")).hasSize(250);
        assertThat(await(sums.deadLetters().retryAll(SUM))).isZero();
    }

    @Test
    void severalWhoSendAllAgainSendEachJobOnce() {
        failMany(ONCE, 120);

        List<CompletableFuture<Long>> sent = IntStream.range(0, 3)
                .mapToObj(i -> node(clock).deadLetters().retryAll(SUM))
                .toList();

        assertThat(sent.stream().mapToLong(JobsContract::await).sum()).isEqualTo(120);
        assertThat(listed()).isEmpty();
    }

    @Test
    void whatFailsOnceMoreIsListedOnceMore() {
        failMany(ONCE, 1);
        await(sums.deadLetters().retryAll(SUM));

        Job<WorkData> again = claim(ONCE, "j0");
        assertThat(await(sums.processor().accept(SUM, AcceptOptions.nonBlocking())))
                .isEqualTo(Optional.empty());
        clock.advance(Duration.ofMinutes(1));
        await(sums.processor().fail(database, again, new IllegalStateException("again")));

        assertThat(page(PageRequest.of(10)).items()).singleElement().satisfies(letter -> {
            assertThat(letter.failedAt()).isAfter(NOON.plusSeconds(59));
            assertThat(letter.claims()).isEqualTo(2);
        });
    }
}
