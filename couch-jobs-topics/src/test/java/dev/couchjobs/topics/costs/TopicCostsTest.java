package dev.couchjobs.topics.costs;

import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.topics.costs.TopicCostFixture.MANY;
import static dev.couchjobs.topics.costs.TopicCostFixture.NEW;
import static dev.couchjobs.topics.costs.TopicCostFixture.ORDERS;
import static dev.couchjobs.topics.costs.TopicCostFixture.message;
import static dev.couchjobs.topics.costs.TopicCostFixture.messages;
import static dev.couchjobs.topics.costs.TopicCostRow.loop;
import static dev.couchjobs.topics.costs.TopicCostRow.verb;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.PageRequest;
import dev.couchjobs.costs.Cost;
import dev.couchjobs.costs.CostsPage;
import dev.couchjobs.topics.Position;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of topics in {@code docs/costs.md}, measured. When a row is not right any more, its failure shows the one
 * that is.
 */
class TopicCostsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    static List<TopicCostRow> rows() {
        return List.of(
                verb(
                        "`create` of a topic",
                        s -> NEW,
                        (s, db, topic) -> s.topics.create(db, topic, TopicCostFixture.settings())),
                verb(
                        "`change` of a topic",
                        s -> ORDERS,
                        (s, db, topic) -> s.topics.change(db, topic, TopicCostFixture.settings())),
                verb("`delete` of a topic", TopicCostFixture::filled, (s, db, topic) -> s.topics.delete(db, topic)),
                verb(
                        "`list` of topics",
                        TopicCostFixture::filled,
                        (s, db, topic) -> s.topics.list(db, PageRequest.of(MANY))),
                verb("`groups` of a topic", TopicCostFixture::group, (s, db, group) -> s.topics.groups(db, ORDERS)),
                verb("`describe` of a topic", TopicCostFixture::filled, (s, db, topic) -> s.topics.describe(db, topic)),
                verb(
                        "`append` of a message",
                        TopicCostFixture::marked,
                        (s, db, topics) -> topics.append(db, ORDERS, message())),
                verb(
                        "`append` that leaves a mark",
                        s -> ORDERS,
                        (s, db, topic) -> s.topics.append(db, topic, message())),
                verb(
                        "`append` in the caller's transaction",
                        TopicCostFixture::marked,
                        (s, db, topics) -> db.runAsync(tx -> topics.append(tx, ORDERS, message()))),
                verb(
                        "`appendAll` of 100 messages",
                        TopicCostFixture::marked,
                        (s, db, topics) -> topics.appendAll(db, ORDERS, messages(MANY))),
                verb(
                        "`read` of 100 messages",
                        TopicCostFixture::filled,
                        (s, db, topic) -> s.topics.read(db, topic, 0, Position.earliest(), MANY)),
                verb(
                        "`read` of 100 messages from a time",
                        TopicCostFixture::filled,
                        (s, db, topic) -> s.topics.read(db, topic, 0, Position.at(s.now()), MANY)),
                verb(
                        "`await` at the end of a partition",
                        TopicCostFixture::filled,
                        (s, db, topic) -> s.topics.await(topic, 0, Position.latest(), SECOND)),
                verb(
                        "`create` of a group",
                        TopicCostFixture::filled,
                        (s, db, topic) -> s.topics.group(topic, "packers").create(db, Position.earliest())),
                verb("`poll` of 100 messages", TopicCostFixture::group, (s, db, group) -> group.poll(db, MANY)),
                verb(
                        "`poll` in the caller's transaction",
                        TopicCostFixture::group,
                        (s, db, group) -> db.runAsync(tx -> group.poll(tx, MANY))),
                verb("`poll` when there is none", TopicCostFixture::groupAtEnd, (s, db, group) -> group.poll(db, MANY)),
                verb(
                        "`peek` of 100 messages",
                        TopicCostFixture::group,
                        (s, db, group) -> group.peek(db, OptionalInt.empty(), MANY)),
                verb(
                        "`commit` of a peek",
                        TopicCostFixture::peeked,
                        (s, db, page) -> s.topics.group(ORDERS, "packers").commit(db, page.cursor())),
                verb(
                        "`await` of a group at the end",
                        TopicCostFixture::groupAtEnd,
                        (s, db, group) -> group.await(SECOND)),
                verb(
                        "`seek` of a group",
                        TopicCostFixture::groupAtEnd,
                        (s, db, group) -> group.seek(db, Position.earliest())),
                verb("`describe` of a group", TopicCostFixture::group, (s, db, group) -> group.describe(db)),
                verb("`delete` of a group", TopicCostFixture::group, (s, db, group) -> group.delete(db)),
                loop(
                        "a consumer handles 100 messages in a transaction",
                        s -> s.waiting(s.inTransaction()),
                        (s, consumer) -> s.appended(),
                        writing("claim")),
                loop(
                        "a consumer handles 100 messages in a transaction, and waits for more",
                        s -> s.waiting(s.inTransaction()),
                        (s, consumer) -> s.appended(),
                        transaction -> true),
                loop(
                        "a consumer handles 100 messages by `handle`, and waits for more",
                        s -> s.waiting(s.consumer().handle(all -> {})),
                        (s, consumer) -> s.appended(),
                        transaction -> true),
                loop(
                        "a consumer catches up with 100 messages, 20 at a time",
                        s -> s.waiting(s.consumer().batch(20).handle(all -> {})),
                        (s, consumer) -> s.appended(),
                        transaction -> true),
                loop(
                        "a consumer begins a group, and waits for messages",
                        TopicCostFixture::inTransaction,
                        TopicCostFixture::waiting,
                        transaction -> true),
                verb(
                        "`stop` of a consumer that waits",
                        s -> s.waiting(s.inTransaction()),
                        (s, db, consumer) -> consumer.stop()),
                loop(
                        "a consumer's heartbeat",
                        s -> s.waiting(s.consumer().handle(all -> {})),
                        (s, consumer) -> s.pass(Duration.ofMillis(3_400)),
                        writing("member")),
                loop(
                        "a consumer with nothing to do, in an hour",
                        s -> s.waiting(s.consumer().handle(all -> {})),
                        (s, consumer) -> s.pass(Duration.ofHours(1)),
                        transaction -> true),
                verb(
                        "`sweep` that removes the messages of one partition",
                        TopicCostFixture::old,
                        (s, db, topic) -> s.topics.sweep(db, topic)),
                verb(
                        "`sweep` when nothing is too old",
                        TopicCostFixture::filled,
                        (s, db, topic) -> s.topics.sweep(db, topic)),
                verb(
                        "`append` of a message to a compacted topic",
                        TopicCostFixture::compacted,
                        (s, db, topic) -> s.topics.append(db, topic, TopicCostFixture.price())),
                verb(
                        "`latest` of a key",
                        TopicCostFixture::compacted,
                        (s, db, topic) -> s.topics.latest(db, topic, "lamp")),
                verb(
                        "`sweep` that compacts three messages to two",
                        TopicCostFixture::superseded,
                        (s, db, topic) -> s.topics.sweep(db, topic)));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theRowOfThePageIsWhatIsMeasured(TopicCostRow row) throws IOException {
        Cost cost = costOf(row);

        assertThat(CostsPage.row(row.name())).isEqualTo("| " + row.name() + " |" + cost.columns());
    }

    @Test
    void thePageHasNoOtherRows() throws IOException {
        assertThat(CostsPage.names(CostsPage.TOPICS::equals))
                .containsExactlyElementsOf(
                        rows().stream().map(TopicCostRow::name).toList());
    }

    private static Cost costOf(TopicCostRow row) {
        try (TopicCostFixture fixture = new TopicCostFixture()) {
            return row.cost().apply(fixture);
        }
    }
}
