package dev.couchjobs.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.accept.Leadership.Place;
import dev.couchjobs.internal.accept.Leadership.Standing;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.loop.Causes;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of two changes after which no process would watch for jobs only one commits, whichever comes first. */
class LeadershipTest {
    private static final int NOT_COMMITTED = 1020;
    /** The token of the follower. */
    private static final long OTHER = 10;

    private final VirtualStage stage = new VirtualStage(7);
    /** From which token on the leader looks for a follower. */
    private long from;

    private final TypeKeys keys = new Keyspace(new Subspace(Tuple.from("leadership"))).type("mail");
    private final Leadership one = new Leadership(keys, () -> this.from);
    private final Leadership other = new Leadership(keys, () -> OTHER);

    @AfterEach
    void close() {
        stage.close();
    }

    private Place change(Function<Transaction, CompletableFuture<Standing>> change) {
        return stage.await(stage.database().runAsync(change)).place();
    }

    private Place waits(Leadership process, Place before) {
        return change(tx -> process.new Turn(tx, before).idle());
    }

    private Transaction open(Function<Transaction, CompletableFuture<Standing>> change) {
        Transaction tx = stage.database().createTransaction();
        stage.await(change.apply(tx));
        return tx;
    }

    /** @param inOrder whether they commit in the order in which they are given */
    private void onlyTheFirstCommits(Transaction one, Transaction other, boolean inOrder) {
        stage.await((inOrder ? one : other).commit());
        Throwable error = catchThrowable(() -> stage.await((inOrder ? other : one).commit()));
        assertThat(Causes.of(error))
                .isInstanceOfSatisfying(
                        FDBException.class,
                        conflict -> assertThat(conflict.getCode()).isEqualTo(NOT_COMMITTED));
    }

    @Test
    void oneLeadsAndTheOthersFollow() {
        assertThat(waits(one, Place.NONE)).isEqualTo(Place.LEADER);
        assertThat(waits(other, Place.NONE)).isEqualTo(Place.FOLLOWER);
        assertThat(waits(one, Place.LEADER)).isEqualTo(Place.LEADER);
    }

    @Test
    void aProcessThatHasJustStartedLeads() {
        waits(one, Place.NEW);

        assertThat(waits(other, Place.NEW)).isEqualTo(Place.LEADER);
        assertThat(waits(one, Place.LEADER)).isEqualTo(Place.FOLLOWER);
    }

    @Test
    void aFollowerLeadsAfterALeaderThatHasTakenJobs() {
        waits(one, Place.NEW);
        waits(other, Place.NONE);

        assertThat(change(tx -> one.new Turn(tx, Place.LEADER).took(true))).isEqualTo(Place.FOLLOWER);
        assertThat(waits(other, Place.FOLLOWER)).isEqualTo(Place.LEADER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoBeginToLead(boolean inOrder) {
        Transaction first = open(tx -> one.new Turn(tx, Place.NONE).idle());
        Transaction second = open(tx -> other.new Turn(tx, Place.NONE).idle());

        onlyTheFirstCommits(first, second, inOrder);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLeaderGoesWhileAnotherBeginsToFollow(boolean inOrder) {
        waits(one, Place.NEW);
        Transaction gone = open(tx -> one.new Turn(tx, Place.LEADER).took(false));
        Transaction follows = open(tx -> other.new Turn(tx, Place.NONE).idle());

        onlyTheFirstCommits(gone, follows, inOrder);
    }

    @ParameterizedTest
    @CsvSource({"true, 5", "false, 5", "true, 15", "false, 15"})
    void aFollowerTakesJobsWhileItIsMadeTheLeader(boolean inOrder, long from) {
        onlyOneCommitsWhileItIsMadeTheLeader(follower -> follower.took(false), inOrder, from);
    }

    @ParameterizedTest
    @CsvSource({"true, 5", "false, 5", "true, 15", "false, 15"})
    void aFollowerLeavesWhileItIsMadeTheLeader(boolean inOrder, long from) {
        onlyOneCommitsWhileItIsMadeTheLeader(Leadership.Turn::leave, inOrder, from);
    }

    private void onlyOneCommitsWhileItIsMadeTheLeader(
            Function<Leadership.Turn, CompletableFuture<Standing>> step, boolean inOrder, long from) {
        this.from = from;
        waits(one, Place.NEW);
        waits(other, Place.NONE);
        Transaction handsOver = open(tx -> one.new Turn(tx, Place.LEADER).took(false));
        Transaction steps = open(tx -> step.apply(other.new Turn(tx, Place.FOLLOWER)));

        onlyTheFirstCommits(handsOver, steps, inOrder);
    }

    @Test
    void aLeaderWithoutFollowersGoesOnIfItHasRoom() {
        waits(one, Place.NEW);

        assertThat(change(tx -> one.new Turn(tx, Place.LEADER).took(true))).isEqualTo(Place.LEADER);
        assertThat(waits(other, Place.NONE)).isEqualTo(Place.FOLLOWER);
    }
}
