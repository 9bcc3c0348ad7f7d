package dev.couchjobs.topics.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.topics.GroupInfo.PartitionLag;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.internal.groups.Claim;
import dev.couchjobs.topics.internal.groups.Consumption;
import dev.couchjobs.topics.internal.groups.Consumption.Parked;
import dev.couchjobs.topics.internal.groups.GroupTable;
import dev.couchjobs.topics.internal.groups.Membership;
import dev.couchjobs.topics.internal.groups.Source;
import dev.couchjobs.topics.internal.groups.Source.Next;
import dev.couchjobs.topics.internal.log.TopicKeys;
import dev.couchjobs.topics.internal.log.TopicTable;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a member writes of a partition counts once, if the result of its commit is unknown and it is tried again. */
class SourceContract extends TopicsContract {
    private static final String GROUP = "readers";

    private Consumption partition;
    private Source head;

    @BeforeEach
    void takePartition() {
        append("a", "b");
        TopicTable table = new TopicTable(new TopicKeys(prefix));
        GroupTable groups = new GroupTable(table.log(run(tx -> table.get(tx, NEWS.name()))));
        run(tx -> groups.create(tx, GROUP, 1, Position.earliest(), NOON));
        Membership member = new Membership(GROUP, "me", 0, Set.of(), Duration.ofSeconds(9));
        Claim claim = run(tx -> member.round(tx, groups, 1, NOON)).claims().get(0);
        partition = new Consumption(groups, GROUP, claim);
        head = partition.head(1, false);
    }

    private <T> T run(Function<Transaction, CompletableFuture<T>> body) {
        return await(database.runAsync(body));
    }

    private boolean commits(Source source, Next next) {
        return run(tx -> source.commit(tx, next));
    }

    private int failures(Next failed) {
        return run(tx -> partition.fail(tx, failed));
    }

    private boolean parks(Next failed) {
        return run(tx -> partition.park(tx, failed, 1));
    }

    private int attempts(Parked parked) {
        return run(tx -> partition.begin(tx, parked));
    }

    private PartitionLag lag() {
        return await(topics.group(NEWS, GROUP).describe(database)).partitions().get(0);
    }

    @Test
    void messagesAreConsumedOnce() {
        Next first = run(head::peek);
        assertThat(commits(head, first)).isTrue();
        assertThat(commits(head, first)).isFalse();
        Next second = run(head::peek);
        assertThat(commits(head, second)).isTrue();
        assertThat(commits(head, first)).isFalse();
        assertThat(lag().lag()).isZero();
    }

    @Test
    void aFailureCountsOnce() {
        Next failed = run(head::peek);
        assertThat(failures(failed)).isEqualTo(1);
        assertThat(failures(failed)).isEqualTo(1);
        Next again = run(head::peek);
        assertThat(again.failures()).isEqualTo(1);
        run(tx -> head.commit(tx, again));
        assertThat(failures(again)).isZero();
        assertThat(run(head::peek).failures()).isZero();
    }

    @Test
    void aMessageIsParkedOnce() {
        Next failed = run(head::peek);
        assertThat(parks(failed)).isTrue();
        assertThat(parks(failed)).isTrue();
        assertThat(lag().parked()).isEqualTo(1);
        Parked parked = run(partition::parked).get(0);
        assertThat(attempts(parked)).isEqualTo(2);
        assertThat(attempts(parked)).isEqualTo(2);
        Source source = partition.parked(parked.stamp());
        Next again = run(source::peek);
        assertThat(commits(source, again)).isTrue();
        assertThat(commits(source, again)).isFalse();
        assertThat(lag().parked()).isZero();
    }
}
