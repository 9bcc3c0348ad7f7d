package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.topics.Appended;
import dev.couchjobs.topics.Message;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Offset;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicNotFoundException;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Appends at the same time share commits, and each has its own result. */
class SharedAppendsContract extends TopicsContract {
    private static final int MANY = 500;
    private static final int STAMP_BYTES = 10;

    private List<CompletableFuture<Appended>> appendAtOnce(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> topics.append(database, NEWS, NewMessage.of("" + i)))
                .toList();
    }

    private static List<Integer> commitOf(Appended appended) {
        byte[] stamp = await(appended.offset()).versionstamp().getBytes();
        return IntStream.range(0, STAMP_BYTES)
                .mapToObj(i -> Integer.valueOf(stamp[i]))
                .toList();
    }

    @Test
    void manyAppendsAtOnceNeedFewCommits() {
        List<CompletableFuture<Appended>> appends = appendAtOnce(MANY);

        long commits = appends.stream()
                .map(TopicsContract::await)
                .map(SharedAppendsContract::commitOf)
                .distinct()
                .count();
        assertThat(commits).isLessThan(MANY / 2);
    }

    @Test
    void eachResultIsWhereItsMessageIs() {
        List<Offset> offsets = appendAtOnce(MANY).stream()
                .map(append -> await(await(append).offset()))
                .toList();

        Map<Offset, String> values = read(Position.earliest()).messages().stream()
                .collect(Collectors.toMap(Message::offset, Message::value));
        assertThat(offsets.stream().map(values::get))
                .containsExactlyElementsOf(
                        IntStream.range(0, MANY).mapToObj(String::valueOf).toList());
    }

    @Test
    void whatIsWrongWithOneFailsNoOther() {
        List<CompletableFuture<Appended>> good = new ArrayList<>();
        List<CompletableFuture<Appended>> wrong = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            good.add(topics.append(database, NEWS, NewMessage.of("good " + i)));
            wrong.add(topics.append(database, NEWS, NewMessage.of("wrong").partition(7)));
        }

        good.forEach(TopicsContract::await);
        assertThat(wrong)
                .allSatisfy(append -> assertThatThrownBy(() -> await(append))
                        .hasCauseInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("and not 7"));
        assertThat(news())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 50).mapToObj(i -> "good " + i).toList());
    }

    @Test
    void allFailIfTheTopicIsMissing() {
        Topic<String> missing = Topic.of("missing", String.class);
        List<CompletableFuture<Appended>> appends = IntStream.range(0, 50)
                .mapToObj(i -> topics.append(database, missing, NewMessage.of("a")))
                .toList();

        assertThat(appends)
                .allSatisfy(append ->
                        assertThatThrownBy(() -> await(append)).hasCauseInstanceOf(TopicNotFoundException.class));
    }

    @Test
    void theContinuationOfOneMayWaitForAllOthers() {
        List<CompletableFuture<Appended>> appends = appendAtOnce(100);
        CompletableFuture<Void> all = CompletableFuture.allOf(appends.toArray(CompletableFuture<?>[]::new));
        List<CompletableFuture<Void>> waiting = appends.stream()
                .map(append -> append.thenAccept(done -> all.join()))
                .toList();

        waiting.subList(0, 5).forEach(TopicsContract::await);
        assertThat(news()).hasSize(100);
    }

    @Test
    void batchesAndSingleMessagesKeepTheirOrderWithinACall() {
        List<CompletableFuture<List<Appended>>> appends = IntStream.range(0, 100)
                .mapToObj(i -> topics.appendAll(
                        database,
                        NEWS,
                        IntStream.range(0, i % 4)
                                .mapToObj(j -> NewMessage.of(i + "." + j))
                                .toList()))
                .toList();

        List<String> news = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            assertThat(await(appends.get(i))).hasSize(i % 4);
        }
        news.addAll(news());
        for (int i = 0; i < 100; i++) {
            String call = i + ".";
            assertThat(news.stream().filter(value -> value.startsWith(call)))
                    .containsExactlyElementsOf(
                            IntStream.range(0, i % 4).mapToObj(j -> call + j).toList());
        }
    }

    @Test
    void largeMessagesDoNotExceedATransaction() {
        Topic<byte[]> blobs = Topic.of("blobs", byte[].class);
        await(topics.create(database, blobs, TopicSettings.partitions(1)));
        List<CompletableFuture<Appended>> appends = IntStream.range(0, 30)
                .mapToObj(i -> topics.append(database, blobs, NewMessage.of(new byte[600_000])))
                .toList();

        appends.forEach(TopicsContract::await);
        assertThat(await(topics.describe(database, blobs)).orElseThrow().partitions())
                .allSatisfy(partition -> assertThat(partition.messages()).isEqualTo(30));
    }

    @Test
    void aResultBelongsToItsCallerAlone() {
        List<CompletableFuture<List<Appended>>> appends = IntStream.range(0, 50)
                .mapToObj(i -> topics.appendAll(database, NEWS, List.of(NewMessage.of("a"), NewMessage.of("b"))))
                .toList();

        assertThat(appends)
                .allSatisfy(append -> assertThatThrownBy(() -> await(append).clear())
                        .isInstanceOf(UnsupportedOperationException.class));
    }

    @Test
    void allHaveTheirResultsThoughTheSchedulerIsShutDown() {
        Environment system = Environment.system();
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        topics = Topics.builder(database)
                .subspace(prefix)
                .environment(new Environment(system.clock(), scheduler, system.random()))
                .build();
        scheduler.shutdown();

        appendAtOnce(MANY).forEach(TopicsContract::await);
        assertThat(news()).hasSize(MANY);
    }

    /** A context that begins nothing until it is opened. */
    private record Gate(Database database, CompletableFuture<Void> opened) implements ForwardingContext {
        @Override
        public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> body) {
            return opened.thenComposeAsync(open -> database.runAsync(body), database.getExecutor());
        }
    }

    /** A context that has committed when it returns. */
    private record AtOnce(Database database) implements ForwardingContext {
        @Override
        public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> body) {
            return CompletableFuture.completedFuture(database.<T>run(tx -> await(body.apply(tx))));
        }
    }

    @Test
    void theContinuationOfACommitThatIsDoneAtOnceMayWaitForAllOthers() {
        Gate gate = new Gate(database, new CompletableFuture<>());
        List<CompletableFuture<Appended>> appends = new ArrayList<>();
        appends.add(topics.append(gate, NEWS, NewMessage.of("0")));
        appends.add(topics.append(gate, NEWS, NewMessage.of("1")));
        for (int i = 2; i < 10; i++) { // each has a commit of its own
            appends.add(topics.append(new AtOnce(database), NEWS, NewMessage.of("" + i)));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(appends.toArray(CompletableFuture<?>[]::new));
        List<CompletableFuture<Void>> waiting = appends.stream()
                .map(append -> append.thenAccept(done -> all.join()))
                .toList();
        gate.opened().complete(null);

        waiting.forEach(TopicsContract::await);
        assertThat(news()).hasSize(10);
    }

    /** A context that fails as a thread without stack or memory does. */
    private record Exhausted(Database database) implements ForwardingContext {
        @Override
        public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> body) {
            throw new OutOfMemoryError("in a test");
        }
    }

    @Test
    void anErrorEndsOneAppendAndNotTheTopic() {
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Appended> append = topics.append(new Exhausted(database), NEWS, NewMessage.of("lost"));
            assertThatThrownBy(() -> await(append)).hasCauseInstanceOf(OutOfMemoryError.class);
        }

        append("next");
        assertThat(news()).containsExactly("next");
    }

    /** A context that has not answered yet. */
    private record Away(Database database, Queue<CompletableFuture<?>> begun) implements ForwardingContext {
        @Override
        public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> body) {
            CompletableFuture<T> result = new CompletableFuture<>();
            begun.add(result);
            return result;
        }
    }

    @Test
    void whatHasWaitedThroughATimeLimitFailsWithIt() {
        Away away = new Away(database, new ConcurrentLinkedQueue<>());
        List<CompletableFuture<Appended>> appends = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // each too large to share a commit
            appends.add(topics.append(away, NEWS, NewMessage.of("x".repeat(600_000))));
        }
        CompletableFuture<Appended> later = topics.append(database, NEWS, NewMessage.of("later"));
        FDBException timedOut = new FDBException("timed out", 1031);
        for (int limits = 0; limits < 2; limits++) {
            List.copyOf(away.begun()).forEach(result -> result.completeExceptionally(timedOut));
        }

        assertThat(appends)
                .allSatisfy(append -> assertThatThrownBy(() -> await(append)).hasCause(timedOut));
        await(later);
        assertThat(news()).containsExactly("later");
    }
}
