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
 * of its place may be out of date, because others change it. A leader that is replaced is told by a watch; until then
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
    enum Place {
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
        Place unsure() {
            return isTaken() ? FOLLOWER : this;
        }
    }

    /**
     * What a transaction makes of a place.
     *
     * @param call completes when this process is called, or replaced as the leader
     */
    record Standing(Place place, Optional<CompletableFuture<Void>> call) {
        static Standing of(Place place) {
            return new Standing(place, Optional.empty());
        }
    }

    /** One try of a transaction that may change the place. */
    final class Turn {
        private final Transaction tx;
        private final Place before;
        private @Nullable CompletableFuture<Boolean> leads;
        private @Nullable CompletableFuture<Optional<Long>> next;
        private @Nullable CompletableFuture<List<Long>> further;

        Turn(Transaction tx, Place before) {
            this.tx = tx;
            this.before = before;
        }

        /** This process is about to take jobs: reads what that needs beside whatever else is read. */
        void foresee(boolean hasRoom) {
            if (before == Place.LEADER) {
                var unused = next();
                return;
            }
            if (before == Place.FOLLOWER) {
                var unused = leads();
            }
            if (!hasRoom) {
                var unused = further();
            }
        }

        /** This process has taken jobs, and gives the place that it had to another. */
        CompletableFuture<Standing> took(boolean hasRoom) {
            return switch (before) {
                case NEW, NONE -> callFurther(hasRoom).thenApply(called -> Standing.of(before));
                case LEADER -> handOver(hasRoom);
                case FOLLOWER -> callFurther(hasRoom).thenCompose(called -> leave(hasRoom));
            };
        }

        /**
         * This process has found nothing to take: it leads if there is no leader, and follows if there is one. A
         * process that has just started leads in any case, since the leader may be one that it has come to replace.
         */
        CompletableFuture<Standing> idle() {
            if (before == Place.NEW) {
                IdleProcesses.setLeader(tx, keys, token);
                return CompletableFuture.completedFuture(leading());
            }
            return IdleProcesses.leader(tx, keys).thenCompose(leader -> {
                if (leader.isPresent() && leader.get() != token) {
                    return follow(before == Place.FOLLOWER);
                }
                if (leader.isEmpty()) {
                    IdleProcesses.setLeader(tx, keys, token);
                }
                if (leader.isEmpty() && before == Place.FOLLOWER) {
                    IdleProcesses.removeFollower(tx, keys, token);
                }
                return CompletableFuture.completedFuture(leading());
            });
        }

        private Standing leading() {
            return new Standing(Place.LEADER, Optional.of(IdleProcesses.watchLeader(tx, keys)));
        }

        /** This process takes no more jobs for now. */
        CompletableFuture<Standing> leave() {
            return leave(false);
        }

        private CompletableFuture<Standing> leave(boolean hasRoom) {
            return leads().thenCompose(does -> {
                if (does) {
                    return handOver(hasRoom);
                }
                IdleProcesses.removeFollower(tx, keys, token);
                return CompletableFuture.completedFuture(Standing.of(Place.NONE));
            });
        }

        /** Makes a follower the leader. Without one this process goes on leading if it has room; if not, none leads. */
        private CompletableFuture<Standing> handOver(boolean hasRoom) {
            return next().thenCompose(follower -> {
                if (follower.isPresent()) {
                    IdleProcesses.removeFollower(tx, keys, follower.get());
                    IdleProcesses.setLeader(tx, keys, follower.get());
                    return hasRoom ? follow(false) : CompletableFuture.completedFuture(Standing.of(Place.NONE));
                }
                if (hasRoom) {
                    IdleProcesses.setLeader(tx, keys, token);
                    return CompletableFuture.completedFuture(Standing.of(Place.LEADER));
                }
                IdleProcesses.clearLeader(tx, keys);
                return CompletableFuture.completedFuture(Standing.of(Place.NONE));
            });
        }

        /** @param mayBe whether this process may be a follower already */
        private CompletableFuture<Standing> follow(boolean mayBe) {
            CompletableFuture<Boolean> is =
                    mayBe ? IdleProcesses.isFollower(tx, keys, token) : CompletableFuture.completedFuture(false);
            return is.thenApply(follows -> {
                if (!follows) {
                    IdleProcesses.addFollower(tx, keys, token);
                }
                return new Standing(Place.FOLLOWER, Optional.of(IdleProcesses.watchFollower(tx, keys, token)));
            });
        }

        /** Calls further followers for what is left. That two processes call the same one does no harm. */
        private CompletableFuture<?> callFurther(boolean hasRoom) {
            return hasRoom
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
