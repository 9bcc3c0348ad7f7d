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
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Runs a transaction on the database of the test. */
    private interface Runs {
        CompletableFuture<Object> run(Function<? super Transaction, ? extends CompletableFuture<Object>> body);
    }

    /** {@return a way to the database on which transactions run so} */
    private Database through(Runs runs) {
        return (Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(), new Class<?>[] {Database.class}, (self, method, given) -> {
                    if (method.getName().equals("runAsync")) {
                        @SuppressWarnings("unchecked")
                        var body = (Function<? super Transaction, ? extends CompletableFuture<Object>>) given[0];
                        return runs.run(body);
                    }
                    return method.invoke(database, given);
                });
    }

    /** {@return a message too large to share a commit} */
    private static NewMessage<String> large() {
        return NewMessage.of("x".repeat(600_000));
    }

    @Test
    void theContinuationOfACommitThatIsDoneAtOnceMayWaitForAllOthers() {
        CompletableFuture<Void> opened = new CompletableFuture<>();
        AtomicInteger begun = new AtomicInteger();
        Database quick = through(body -> begun.getAndIncrement() < 2
                ? opened.thenComposeAsync(open -> database.runAsync(body), database.getExecutor())
                : CompletableFuture.completedFuture(database.run(tx -> await(body.apply(tx)))));
        List<CompletableFuture<Appended>> appends = IntStream.range(0, 10)
                .mapToObj(i -> topics.append(quick, NEWS, large()))
                .toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(appends.toArray(CompletableFuture<?>[]::new));
        List<CompletableFuture<Void>> waiting = appends.stream()
                .map(append -> append.thenAccept(done -> all.join()))
                .toList();
        opened.complete(null);

        waiting.forEach(TopicsContract::await);
        assertThat(await(topics.describe(database, NEWS)).orElseThrow().partitions())
                .allSatisfy(partition -> assertThat(partition.messages()).isEqualTo(10));
    }

    /** As a thread without stack or memory. */
    @Test
    void anErrorEndsOneAppendAndNotTheTopic() {
        AtomicInteger begun = new AtomicInteger();
        Database exhausted = through(body -> {
            if (begun.getAndIncrement() < 5) {
                throw new OutOfMemoryError("in a test");
            }
            return database.runAsync(body);
        });
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Appended> append = topics.append(exhausted, NEWS, NewMessage.of("lost"));
            assertThatThrownBy(() -> await(append)).hasCauseInstanceOf(OutOfMemoryError.class);
        }

        await(topics.append(exhausted, NEWS, NewMessage.of("next")));
        assertThat(news()).containsExactly("next");
    }

    @Test
    void whatHasWaitedThroughATimeLimitFailsWithIt() {
        Queue<CompletableFuture<Object>> begun = new ConcurrentLinkedQueue<>();
        AtomicBoolean isAway = new AtomicBoolean(true);
        Database away = through(body -> {
            if (!isAway.get()) {
                return database.runAsync(body);
            }
            CompletableFuture<Object> unanswered = new CompletableFuture<>();
            begun.add(unanswered);
            return unanswered;
        });
        List<CompletableFuture<Appended>> appends = IntStream.range(0, 20)
                .mapToObj(i -> topics.append(away, NEWS, large()))
                .toList();
        FDBException timedOut = new FDBException("timed out", 1031);
        for (int limits = 0; limits < 2; limits++) {
            List.copyOf(begun).forEach(result -> result.completeExceptionally(timedOut));
        }
        isAway.set(false);

        assertThat(appends)
                .allSatisfy(append -> assertThatThrownBy(() -> await(append)).hasCause(timedOut));
        await(topics.append(away, NEWS, NewMessage.of("later")));
        assertThat(news()).containsExactly("later");
    }

    /** A context that begins nothing until it is opened. */
    private record Gate(Database database, CompletableFuture<Void> opened) implements ForwardingContext {
        @Override
        public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> body) {
            return opened.thenComposeAsync(open -> database.runAsync(body), database.getExecutor());
        }
    }

    @Test
    void appendsDoNotWaitForThoseThroughAnotherContext() {
        CompletableFuture<Void> opened = new CompletableFuture<>();
        Database held = through(body -> new Gate(database, opened).runAsync(body));
        List<CompletableFuture<Appended>> appends = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            appends.add(topics.append(held, NEWS, NewMessage.of("held")));
            appends.add(topics.append(new Gate(database, opened), NEWS, NewMessage.of("held")));
        }

        append("free");
        await(topics.append(new Gate(database, CompletableFuture.completedFuture(null)), NEWS, NewMessage.of("free")));
        assertThat(news()).containsExactly("free", "free");
        opened.complete(null);
        appends.forEach(TopicsContract::await);
    }
}
