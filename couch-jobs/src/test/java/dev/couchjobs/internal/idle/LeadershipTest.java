package dev.couchjobs.internal.idle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.idle.Leadership.Role;
import dev.couchjobs.internal.idle.Leadership.RoleChange;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
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
    /** The token from which on the leader searches for a follower. */
    private long from;

    private final TypeKeys keys = new Keyspace(new Subspace(Tuple.from("leadership"))).type("mail");
    private final Leadership processA = new Leadership(keys, () -> this.from);
    private final Leadership processB = new Leadership(keys, () -> OTHER);

    @AfterEach
    void close() {
        stage.close();
    }

    private Role change(Function<Transaction, CompletableFuture<RoleChange>> change) {
        return stage.await(stage.database().runAsync(change)).role();
    }

    private Role idles(Leadership process, Role before) {
        return change(tx -> process.new RoleTransaction(tx, before).onIdle());
    }

    private Transaction open(Function<Transaction, CompletableFuture<RoleChange>> change) {
        Transaction tx = stage.database().createTransaction();
        stage.await(change.apply(tx));
        return tx;
    }

    /** @param inOrder whether they commit in the order in which they are given */
    private void onlyTheFirstCommits(Transaction first, Transaction second, boolean inOrder) {
        stage.await((inOrder ? first : second).commit());
        Throwable error = catchThrowable(() -> stage.await((inOrder ? second : first).commit()));
        assertThat(RootCauses.of(error))
                .isInstanceOfSatisfying(
                        FDBException.class,
                        conflict -> assertThat(conflict.getCode()).isEqualTo(NOT_COMMITTED));
    }

    @Test
    void oneLeadsAndTheOthersFollow() {
        assertThat(idles(processA, Role.NONE)).isEqualTo(Role.LEADER);
        assertThat(idles(processB, Role.NONE)).isEqualTo(Role.FOLLOWER);
        assertThat(idles(processA, Role.LEADER)).isEqualTo(Role.LEADER);
    }

    @Test
    void aProcessThatHasJustStartedLeads() {
        idles(processA, Role.NEW);

        assertThat(idles(processB, Role.NEW)).isEqualTo(Role.LEADER);
        assertThat(idles(processA, Role.LEADER)).isEqualTo(Role.FOLLOWER);
    }

    @Test
    void aFollowerLeadsAfterALeaderThatHasClaimedJobs() {
        idles(processA, Role.NEW);
        idles(processB, Role.NONE);

        assertThat(change(tx -> processA.new RoleTransaction(tx, Role.LEADER).onClaim(true)))
                .isEqualTo(Role.FOLLOWER);
        assertThat(idles(processB, Role.FOLLOWER)).isEqualTo(Role.LEADER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoBeginToLead(boolean inOrder) {
        Transaction first = open(tx -> processA.new RoleTransaction(tx, Role.NONE).onIdle());
        Transaction second = open(tx -> processB.new RoleTransaction(tx, Role.NONE).onIdle());

        onlyTheFirstCommits(first, second, inOrder);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLeaderResignsWhileAnotherBeginsToFollow(boolean inOrder) {
        idles(processA, Role.NEW);
        Transaction resigns = open(tx -> processA.new RoleTransaction(tx, Role.LEADER).onClaim(false));
        Transaction follows = open(tx -> processB.new RoleTransaction(tx, Role.NONE).onIdle());

        onlyTheFirstCommits(resigns, follows, inOrder);
    }

    @ParameterizedTest
    @CsvSource({"true, 5", "false, 5", "true, 15", "false, 15"})
    void aFollowerClaimsJobsWhileItIsMadeTheLeader(boolean inOrder, long from) {
        onlyOneCommitsWhileItIsMadeTheLeader(follower -> follower.onClaim(false), inOrder, from);
    }

    @ParameterizedTest
    @CsvSource({"true, 5", "false, 5", "true, 15", "false, 15"})
    void aFollowerResignsWhileItIsMadeTheLeader(boolean inOrder, long from) {
        onlyOneCommitsWhileItIsMadeTheLeader(Leadership.RoleTransaction::resign, inOrder, from);
    }

    private void onlyOneCommitsWhileItIsMadeTheLeader(
            Function<Leadership.RoleTransaction, CompletableFuture<RoleChange>> step, boolean inOrder, long from) {
        this.from = from;
        idles(processA, Role.NEW);
        idles(processB, Role.NONE);
        Transaction handsOver = open(tx -> processA.new RoleTransaction(tx, Role.LEADER).onClaim(false));
        Transaction steps = open(tx -> step.apply(processB.new RoleTransaction(tx, Role.FOLLOWER)));

        onlyTheFirstCommits(handsOver, steps, inOrder);
    }

    @Test
    void aLeaderWithoutFollowersStaysTheLeaderIfItHasCapacity() {
        idles(processA, Role.NEW);

        assertThat(change(tx -> processA.new RoleTransaction(tx, Role.LEADER).onClaim(true)))
                .isEqualTo(Role.LEADER);
        assertThat(idles(processB, Role.NONE)).isEqualTo(Role.FOLLOWER);
    }
}
