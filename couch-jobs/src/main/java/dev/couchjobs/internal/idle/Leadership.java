package dev.couchjobs.internal.idle;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.ArmedWatch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The role of this process among the processes whose workers wait for jobs of one type (rfc/017).
 *
 * <p>One process is the leader: it alone watches for new jobs. The others are followers: each watches its own row. A
 * leader that claims jobs makes a follower the leader in the same commit, so a job wakes two processes however many
 * there are. A process that finds more jobs than it has capacity for wakes further followers.
 *
 * <p>A role changes only in the transaction of a claim, and only if that commits. The role that a process knows may be
 * outdated, because other processes change it. A watch notifies a leader that is replaced; until then it at most reads
 * the queue once too often.
 */
public final class Leadership {
    /** How many followers a process wakes that leaves jobs in the queue. */
    private static final int FURTHER_FOLLOWERS = 2;

    private final TypeKeys keys;
    private final RandomGenerator random;
    private final long token;

    public Leadership(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
        this.token = random.nextLong();
    }

    /** The role of a process, as far as it knows. */
    public enum Role {
        /** The process has just started. */
        NEW,
        /** The process has no row: it runs jobs, or watches for new jobs beside the leader. */
        NONE,
        /** The process has, or had, a row that other processes clear to wake it. */
        FOLLOWER,
        /** The process watches for new jobs, unless it has been replaced. */
        LEADER;

        /** {@return whether a row may name this process, so that other processes rely on it} */
        public boolean isRegistered() {
            return this == FOLLOWER || this == LEADER;
        }

        /** {@return the role after a transaction that changes it and whose result is unknown} */
        public Role afterUnknownResult() {
            return isRegistered() ? FOLLOWER : this;
        }
    }

    /**
     * The role after a transaction.
     *
     * @param wakeUp fires when another process wakes this follower, or replaces this leader
     */
    public record RoleChange(Role role, Optional<ArmedWatch> wakeUp) {
        public static RoleChange of(Role role) {
            return new RoleChange(role, Optional.empty());
        }

        static RoleChange of(Role role, ArmedWatch wakeUp) {
            return new RoleChange(role, Optional.of(wakeUp));
        }

        /** {@return a rest until this process is woken} Without a watch jobs come from elsewhere. */
        public Rest rest() {
            return wakeUp.map(watch -> Rest.on(List.of(watch))).orElse(Rest.NONE);
        }
    }

    /** One try of a transaction that may change the role. */
    public final class RoleTransaction {
        private final Transaction tx;
        private final Role before;
        private @Nullable CompletableFuture<Boolean> isLeader;
        private @Nullable CompletableFuture<Optional<Long>> successor;
        private @Nullable CompletableFuture<List<Long>> furtherFollowers;

        public RoleTransaction(Transaction tx, Role before) {
            this.tx = tx;
            this.before = before;
        }

        /** Starts the reads of {@link #onClaim}, so that they run in parallel with the reads of the claim. */
        public void prefetch(boolean hasCapacity) {
            if (before == Role.LEADER) {
                var unused = successor();
                return;
            }
            if (before == Role.FOLLOWER) {
                var unused = isLeader();
            }
            if (!hasCapacity) {
                var unused = furtherFollowers();
            }
        }

        /**
         * Changes the role of this process, which claims jobs: another process becomes the leader in its place.
         *
         * @param hasCapacity whether this process could have claimed more jobs
         */
        public CompletableFuture<RoleChange> onClaim(boolean hasCapacity) {
            return switch (before) {
                case NEW, NONE -> wakeFurtherFollowers(hasCapacity).thenApply(woken -> RoleChange.of(before));
                case LEADER -> handOver(hasCapacity);
                case FOLLOWER -> wakeFurtherFollowers(hasCapacity).thenCompose(woken -> resign(hasCapacity));
            };
        }

        /**
         * Changes the role of this process, which has found no job: it becomes the leader if there is none, and a
         * follower otherwise. A process that has just started always becomes the leader, since the present one may be
         * the process that it was started to replace.
         */
        public CompletableFuture<RoleChange> onIdle() {
            if (before == Role.NEW) {
                IdleProcesses.setLeader(tx, keys, token);
                return watchingLeader();
            }
            return IdleProcesses.leader(tx, keys).thenCompose(leader -> {
                if (leader.isPresent() && leader.get() != token) {
                    return follow(before == Role.FOLLOWER);
                }
                if (leader.isEmpty()) {
                    IdleProcesses.setLeader(tx, keys, token);
                }
                if (leader.isEmpty() && before == Role.FOLLOWER) {
                    IdleProcesses.removeFollower(tx, keys, token);
                }
                return watchingLeader();
            });
        }

        private CompletableFuture<RoleChange> watchingLeader() {
            return IdleProcesses.watchLeader(tx, keys).thenApply(watch -> RoleChange.of(Role.LEADER, watch));
        }

        /** Gives up the role of this process, which claims no more jobs for now. */
        public CompletableFuture<RoleChange> resign() {
            return resign(false);
        }

        private CompletableFuture<RoleChange> resign(boolean hasCapacity) {
            return isLeader().thenCompose(leads -> {
                if (leads) {
                    return handOver(hasCapacity);
                }
                IdleProcesses.removeFollower(tx, keys, token);
                return CompletableFuture.completedFuture(RoleChange.of(Role.NONE));
            });
        }

        /**
         * Makes a follower the leader. Without followers this process stays the leader if it has capacity; otherwise
         * there is no leader.
         */
        private CompletableFuture<RoleChange> handOver(boolean hasCapacity) {
            return successor().thenCompose(follower -> {
                if (follower.isPresent()) {
                    IdleProcesses.removeFollower(tx, keys, follower.get());
                    IdleProcesses.setLeader(tx, keys, follower.get());
                    return hasCapacity ? follow(false) : CompletableFuture.completedFuture(RoleChange.of(Role.NONE));
                }
                if (hasCapacity) {
                    IdleProcesses.setLeader(tx, keys, token);
                    return CompletableFuture.completedFuture(RoleChange.of(Role.LEADER));
                }
                IdleProcesses.clearLeader(tx, keys);
                return CompletableFuture.completedFuture(RoleChange.of(Role.NONE));
            });
        }

        /** @param mayBeFollower whether this process may be a follower already */
        private CompletableFuture<RoleChange> follow(boolean mayBeFollower) {
            CompletableFuture<Boolean> isFollower = mayBeFollower
                    ? IdleProcesses.isFollower(tx, keys, token)
                    : CompletableFuture.completedFuture(false);
            return isFollower.thenCompose(follows -> {
                if (!follows) {
                    IdleProcesses.addFollower(tx, keys, token);
                }
                return IdleProcesses.watchFollower(tx, keys, token)
                        .thenApply(watch -> RoleChange.of(Role.FOLLOWER, watch));
            });
        }

        /** Wakes further followers for the jobs that are left. Two processes may wake the same follower. */
        private CompletableFuture<?> wakeFurtherFollowers(boolean hasCapacity) {
            return hasCapacity
                    ? CompletableFuture.completedFuture(tx)
                    : furtherFollowers()
                            .thenAccept(followers ->
                                    followers.forEach(follower -> IdleProcesses.removeFollower(tx, keys, follower)));
        }

        private CompletableFuture<Boolean> isLeader() {
            if (isLeader == null) {
                isLeader =
                        IdleProcesses.leader(tx, keys).thenApply(leader -> leader.isPresent() && leader.get() == token);
            }
            return isLeader;
        }

        private CompletableFuture<Optional<Long>> successor() {
            if (successor == null) {
                successor = IdleProcesses.follower(tx, keys, random.nextLong());
            }
            return successor;
        }

        private CompletableFuture<List<Long>> furtherFollowers() {
            if (furtherFollowers == null) {
                furtherFollowers = IdleProcesses.followers(tx, keys, random.nextLong(), FURTHER_FOLLOWERS);
            }
            return furtherFollowers;
        }
    }
}
