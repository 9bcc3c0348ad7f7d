package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.IdleProcesses;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The place of this process among those whose workers wait for jobs of one type (rfc/017).
 *
 * <p>One of them leads: it alone watches for new jobs. The others follow: each watches a row of its own. A leader that
 * takes a job makes a follower the leader in the same commit, so a job wakes two processes however many there are. A
 * process that finds more than it has room for calls further followers.
 *
 * <p>All changes are made in the transactions of claims, and count when these have committed. What this process knows
 * of its place may be out of date, because others change it. A watch notifies a leader that is replaced; until then
 * it only looks at the queue once too often.
 */
final class Leadership {
    /** How many followers are called by a process that leaves jobs in the queue. */
    private static final int CALLED_FOR_MORE = 2;

    private final TypeKeys keys;
    private final RandomGenerator random;
    private final long token;

    Leadership(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
        this.token = random.nextLong();
    }

    /** Where a process stands, as far as it knows. */
    enum Role {
        /** It has just started. */
        NEW,
        /** It works, or watches for new jobs beside the leader. */
        NONE,
        /** It has, or had, a row that others clear to call it. */
        FOLLOWER,
        /** It watches for new jobs, unless it has been replaced. */
        LEADER;

        /** {@return whether others may count on this process} */
        boolean isTaken() {
            return this == FOLLOWER || this == LEADER;
        }

        /**
         * {@return what is known of the place when it is not known whether a transaction that changes it has committed}
         */
        Role unsure() {
            return isTaken() ? FOLLOWER : this;
        }
    }

    /**
     * What a transaction makes of a place.
     *
     * @param call completes when this process is called, or replaced as the leader
     */
    record RoleChange(Role role, Optional<CompletableFuture<Void>> call) {
        static RoleChange of(Role role) {
            return new RoleChange(role, Optional.empty());
        }
    }

    /** One try of a transaction that may change the place. */
    final class RoleTransaction {
        private final Transaction tx;
        private final Role before;
        private @Nullable CompletableFuture<Boolean> leads;
        private @Nullable CompletableFuture<Optional<Long>> next;
        private @Nullable CompletableFuture<List<Long>> further;

        RoleTransaction(Transaction tx, Role before) {
            this.tx = tx;
            this.before = before;
        }

        /** This process is about to take jobs: reads what that needs beside whatever else is read. */
        void prefetch(boolean hasCapacity) {
            if (before == Role.LEADER) {
                var unused = next();
                return;
            }
            if (before == Role.FOLLOWER) {
                var unused = leads();
            }
            if (!hasCapacity) {
                var unused = further();
            }
        }

        /** This process has taken jobs, and gives the place that it had to another. */
        CompletableFuture<RoleChange> took(boolean hasCapacity) {
            return switch (before) {
                case NEW, NONE -> wakeFurtherFollowers(hasCapacity).thenApply(called -> RoleChange.of(before));
                case LEADER -> handOver(hasCapacity);
                case FOLLOWER -> wakeFurtherFollowers(hasCapacity).thenCompose(called -> leave(hasCapacity));
            };
        }

        /**
         * This process has found nothing to take: it leads if there is no leader, and follows if there is one. A
         * process that has just started leads in any case, since the leader may be one that it has come to replace.
         */
        CompletableFuture<RoleChange> idle() {
            if (before == Role.NEW) {
                IdleProcesses.setLeader(tx, keys, token);
                return CompletableFuture.completedFuture(leading());
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
                return CompletableFuture.completedFuture(leading());
            });
        }

        private RoleChange leading() {
            return new RoleChange(Role.LEADER, Optional.of(IdleProcesses.watchLeader(tx, keys)));
        }

        /** This process takes no more jobs for now. */
        CompletableFuture<RoleChange> leave() {
            return leave(false);
        }

        private CompletableFuture<RoleChange> leave(boolean hasCapacity) {
            return leads().thenCompose(does -> {
                if (does) {
                    return handOver(hasCapacity);
                }
                IdleProcesses.removeFollower(tx, keys, token);
                return CompletableFuture.completedFuture(RoleChange.of(Role.NONE));
            });
        }

        /** Makes a follower the leader. Without one this process goes on leading if it has room; if not, none leads. */
        private CompletableFuture<RoleChange> handOver(boolean hasCapacity) {
            return next().thenCompose(follower -> {
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

        /** @param mayBe whether this process may be a follower already */
        private CompletableFuture<RoleChange> follow(boolean mayBe) {
            CompletableFuture<Boolean> is =
                    mayBe ? IdleProcesses.isFollower(tx, keys, token) : CompletableFuture.completedFuture(false);
            return is.thenApply(follows -> {
                if (!follows) {
                    IdleProcesses.addFollower(tx, keys, token);
                }
                return new RoleChange(Role.FOLLOWER, Optional.of(IdleProcesses.watchFollower(tx, keys, token)));
            });
        }

        /** Calls further followers for what is left. That two processes call the same one does no harm. */
        private CompletableFuture<?> wakeFurtherFollowers(boolean hasCapacity) {
            return hasCapacity
                    ? CompletableFuture.completedFuture(tx)
                    : further().thenAccept(some -> some.forEach(one -> IdleProcesses.removeFollower(tx, keys, one)));
        }

        private CompletableFuture<Boolean> leads() {
            if (leads == null) {
                leads = IdleProcesses.leader(tx, keys)
                        .thenApply(leader -> leader.filter(one -> one == token).isPresent());
            }
            return leads;
        }

        private CompletableFuture<Optional<Long>> next() {
            if (next == null) {
                next = IdleProcesses.follower(tx, keys, random.nextLong());
            }
            return next;
        }

        private CompletableFuture<List<Long>> further() {
            if (further == null) {
                further = IdleProcesses.followers(tx, keys, random.nextLong(), CALLED_FOR_MORE);
            }
            return further;
        }
    }
}
