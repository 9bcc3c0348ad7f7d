package dev.couchjobs.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.accept.Leadership.Role;
import dev.couchjobs.internal.accept.Leadership.RoleChange;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.loop.RootCauses;
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

    private Role change(Function<Transaction, CompletableFuture<RoleChange>> change) {
        return stage.await(stage.database().runAsync(change)).role();
    }

    private Role waits(Leadership process, Role before) {
        return change(tx -> process.new RoleTransaction(tx, before).idle());
    }

    private Transaction open(Function<Transaction, CompletableFuture<RoleChange>> change) {
        Transaction tx = stage.database().createTransaction();
        stage.await(change.apply(tx));
        return tx;
    }

    /** @param inOrder whether they commit in the order in which they are given */
    private void onlyTheFirstCommits(Transaction one, Transaction other, boolean inOrder) {
        stage.await((inOrder ? one : other).commit());
        Throwable error = catchThrowable(() -> stage.await((inOrder ? other : one).commit()));
        assertThat(RootCauses.of(error))
                .isInstanceOfSatisfying(
                        FDBException.class,
                        conflict -> assertThat(conflict.getCode()).isEqualTo(NOT_COMMITTED));
    }

    @Test
    void oneLeadsAndTheOthersFollow() {
        assertThat(waits(one, Role.NONE)).isEqualTo(Role.LEADER);
        assertThat(waits(other, Role.NONE)).isEqualTo(Role.FOLLOWER);
        assertThat(waits(one, Role.LEADER)).isEqualTo(Role.LEADER);
    }

    @Test
    void aProcessThatHasJustStartedLeads() {
        waits(one, Role.NEW);

        assertThat(waits(other, Role.NEW)).isEqualTo(Role.LEADER);
        assertThat(waits(one, Role.LEADER)).isEqualTo(Role.FOLLOWER);
    }

    @Test
    void aFollowerLeadsAfterALeaderThatHasTakenJobs() {
        waits(one, Role.NEW);
        waits(other, Role.NONE);

        assertThat(change(tx -> one.new RoleTransaction(tx, Role.LEADER).took(true)))
                .isEqualTo(Role.FOLLOWER);
        assertThat(waits(other, Role.FOLLOWER)).isEqualTo(Role.LEADER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoBeginToLead(boolean inOrder) {
        Transaction first = open(tx -> one.new RoleTransaction(tx, Role.NONE).idle());
        Transaction second = open(tx -> other.new RoleTransaction(tx, Role.NONE).idle());

        onlyTheFirstCommits(first, second, inOrder);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLeaderGoesWhileAnotherBeginsToFollow(boolean inOrder) {
        waits(one, Role.NEW);
        Transaction gone = open(tx -> one.new RoleTransaction(tx, Role.LEADER).took(false));
        Transaction follows = open(tx -> other.new RoleTransaction(tx, Role.NONE).idle());

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
        onlyOneCommitsWhileItIsMadeTheLeader(Leadership.RoleTransaction::leave, inOrder, from);
    }

    private void onlyOneCommitsWhileItIsMadeTheLeader(
            Function<Leadership.RoleTransaction, CompletableFuture<RoleChange>> step, boolean inOrder, long from) {
        this.from = from;
        waits(one, Role.NEW);
        waits(other, Role.NONE);
        Transaction handsOver = open(tx -> one.new RoleTransaction(tx, Role.LEADER).took(false));
        Transaction steps = open(tx -> step.apply(other.new RoleTransaction(tx, Role.FOLLOWER)));

        onlyTheFirstCommits(handsOver, steps, inOrder);
    }

    @Test
    void aLeaderWithoutFollowersGoesOnIfItHasRoom() {
        waits(one, Role.NEW);

        assertThat(change(tx -> one.new RoleTransaction(tx, Role.LEADER).took(true)))
                .isEqualTo(Role.LEADER);
        assertThat(waits(other, Role.NONE)).isEqualTo(Role.FOLLOWER);
    }
}
