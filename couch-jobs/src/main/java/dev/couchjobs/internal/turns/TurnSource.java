package dev.couchjobs.internal.turns;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.queue.SkipDistance;
import dev.couchjobs.internal.queue.Wanted;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a type that have turn keys. A try of a claim reads the first turns and the first jobs of their keys,
 * selects jobs round by round, and at its end moves the turns that are used up behind all others. It also gives turns
 * to the keys that request one. A claim expects what the claim before has found.
 *
 * <p>A try uses as many turns as it has jobs to claim, and further ones only while their keys have no jobs for it.
 */
public final class TurnSource {
    /** The number of turns to read at least, to know the share of the jobs without a turn key. */
    private static final int COUNTED = 50;
    /** The largest number of turns that a try uses. */
    private static final int TURNS_MAX = 1_000;

    /** The largest number of turns to skip: each of them may start its jobs later than others behind it. */
    private static final int SKIPPED_MAX = 200;

    private static final int PAGE = 100;
    private static final int REQUESTS_MAX = 100;
    /** The number of jobs of a key to read for a claim that wants only some jobs of the queue. */
    private static final int WINDOW = 100;

    private final TypeKeys keys;
    private final RandomGenerator random;
    /** Adapts to conflicts over turns. */
    private final SkipDistance skipDistance = new SkipDistance();
    /** Whether jobs of the instance have had turn keys, as far as this process knows. */
    private volatile boolean mayBeThere;
    /** Whether the last claim that read turns has found some. */
    private volatile boolean wereThere;
    /** The turn key behind which the next claim reads requests; null for the first. */
    private volatile @Nullable String requestsAfter;

    public TurnSource(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
    }

    /** Begins a claim. */
    public void beginClaim() {
        skipDistance.shrink();
    }

    /**
     * {@return how many turns the next try may skip, after a conflict over turns}
     *
     * @param jobs how many jobs the try before would have claimed
     */
    public int skipAfterConflict(int jobs) {
        skipDistance.grow(jobs);
        return Math.min(SKIPPED_MAX, skipDistance.rows());
    }

    /** A turn that this try uses: one that exists, or that of a new key. */
    private static final class Place {
        final TurnKey key;
        final @Nullable Turn turn;
        final @Nullable TurnRequest request;
        final int weight;
        /** The first jobs of the key, without those that this try has claimed or found to be stale. */
        List<QueueEntry> jobs = List.of();

        int jobsRead;
        boolean hasAllJobs;
        boolean hasLostJobs;
        boolean hasStarted;
        /** How many jobs the key has started in the turn, with those of this try. */
        long started;

        Place(TurnKey key, @Nullable Turn turn, @Nullable TurnRequest request, int weight) {
            this.key = key;
            this.turn = turn;
            this.request = request;
            this.weight = weight;
            this.started = turn == null ? 0 : turn.started() % weight; // the weight may have been lowered
        }

        /** {@return how many jobs are left in the turn, or in the next one if it is used up} */
        int left() {
            return Math.toIntExact(weight - started % weight);
        }

        boolean isEmpty() {
            return hasAllJobs && jobs.isEmpty();
        }

        boolean isUsedUp() {
            return started >= weight;
        }

        void settle(Transaction tx) {
            if (turn == null) {
                if (request != null && isEmpty()) {
                    request.clear(tx);
                } else if (request != null) {
                    request.grant(tx, started % weight);
                }
            } else if (isEmpty()) {
                turn.end(tx);
            } else if (isUsedUp()) {
                turn.moveToEnd(tx, started % weight);
            } else if (hasStarted) {
                turn.keep(tx, started);
            }
        }
    }

    /** The turns in one try of a claim. */
    public final class Try {
        private final Transaction tx;
        private final int skipMax;
        private final boolean areRead = mayBeThere;

        private @Nullable CompletableFuture<Integer> firstRead;
        private boolean isWeighted;
        /** The last turn that was read. */
        private @Nullable Turn lastRead;
        /** Whether there may be turns behind those that were read. */
        private boolean hasMoreTurns;

        private boolean hasSkippedTurns;
        private boolean hasMoreRequests;
        /** The last turn key whose request was read, if there may be more requests. */
        private @Nullable String lastRequest;
        /** The turns that were read and not used, in order. */
        private final Deque<Turn> unused = new ArrayDeque<>();
        /** The requests of keys without a turn. */
        private final List<TurnRequest> newKeys = new ArrayList<>();
        /** The requests of keys with a turn. */
        private final List<TurnRequest> confirmed = new ArrayList<>();

        private final List<Place> places = new ArrayList<>();

        /** @param skipMax how many turns to skip at most, in a try after a conflict */
        public Try(Transaction tx, int skipMax) {
            this.tx = tx;
            this.skipMax = skipMax;
        }

        /** {@return whether this try reads turns} It cannot begin to once it has written requests for turns. */
        public boolean areRead() {
            return areRead;
        }

        /** {@return whether the next claim reads turns, by the layout that this try has read} */
        public boolean mayBeThere(Layout layout) {
            mayBeThere = layout.mayUse(Feature.TURN_KEYS);
            return mayBeThere;
        }

        /** {@return whether there will probably be some} */
        public boolean areExpected() {
            return wereThere;
        }

        /**
         * Reads the first turns, and the requests.
         *
         * @return how many keys there are to claim from, as far as is known
         */
        public CompletableFuture<Integer> read(int demand) {
            CompletableFuture<Integer> known = firstRead;
            if (known == null) {
                int limit = Math.max(COUNTED, demand + skipMax);
                CompletableFuture<Boolean> weighted = TurnTable.mayHaveWeights(tx, keys);
                CompletableFuture<?> requests = TurnTable.requests(tx, keys, requestsAfter, REQUESTS_MAX)
                        .thenCompose(found -> readRequests(found));
                known = TurnTable.first(tx, keys, null, limit)
                        .thenCombine(weighted, (turns, anyWeights) -> {
                            isWeighted = anyWeights;
                            int skipped = random.nextInt(Math.max(0, Math.min(skipMax, turns.size() - demand)) + 1);
                            hasSkippedTurns = skipped > 0;
                            addRead(turns.subList(skipped, turns.size()), turns.size() == limit);
                            return turns.size();
                        })
                        .thenCombine(requests, (turns, done) -> {
                            int found = turns + newKeys.size();
                            wereThere = found > 0;
                            return found;
                        });
                firstRead = known;
            }
            return known;
        }

        private CompletableFuture<?> readRequests(List<TurnRequest> found) {
            hasMoreRequests = found.size() == REQUESTS_MAX;
            lastRequest = hasMoreRequests ? found.get(REQUESTS_MAX - 1).key().name() : null;
            List<CompletableFuture<Boolean>> inTurn =
                    found.stream().map(request -> request.isInTurn(tx)).toList();
            return Futures.allOf(inTurn).thenAccept(done -> {
                for (int i = 0; i < found.size(); i++) {
                    (inTurn.get(i).join() ? confirmed : newKeys).add(found.get(i));
                }
                newKeys.sort(TurnRequest.OLDEST_FIRST);
            });
        }

        private void addRead(List<Turn> turns, boolean isPageFull) {
            unused.addAll(turns);
            hasMoreTurns = isPageFull;
            lastRead = turns.isEmpty() ? lastRead : turns.get(turns.size() - 1);
        }

        /** {@return whether this try can use further turns} */
        private boolean canUseMore() {
            return places.size() < TURNS_MAX && (!unused.isEmpty() || hasMoreTurns || hasUnusedNewKeys());
        }

        private boolean hasUnusedNewKeys() {
            return newKeys.stream().anyMatch(this::isUnused);
        }

        /** Uses further turns: those behind all others are those of the new keys. */
        private CompletableFuture<?> useMore(int count) {
            if (unused.isEmpty() && hasMoreTurns) {
                int limit = Math.max(PAGE, count);
                return TurnTable.first(tx, keys, lastRead, limit).thenCompose(turns -> {
                    addRead(turns, turns.size() == limit);
                    return use(count);
                });
            }
            return use(count);
        }

        private CompletableFuture<?> use(int count) {
            List<CompletableFuture<Place>> used = new ArrayList<>();
            while (used.size() < count && !unused.isEmpty()) {
                Turn turn = unused.remove();
                used.add(weight(turn.key()).thenApply(weight -> new Place(turn.key(), turn, null, weight)));
            }
            if (used.isEmpty() && !hasMoreTurns) {
                newKeys.forEach(request -> used.add(
                        weight(request.key()).thenApply(weight -> new Place(request.key(), null, request, weight))));
            }
            return Futures.allOf(used).thenAccept(done -> used.forEach(place -> places.add(place.join())));
        }

        private CompletableFuture<Integer> weight(TurnKey key) {
            return isWeighted ? TurnTable.weight(tx.snapshot(), key) : CompletableFuture.completedFuture(1);
        }

        /**
         * {@return how many of some jobs to claim are for jobs without a turn key} They take turns like one more key.
         * The number is rounded at random, so that the share is exact on average.
         */
        public int shareOfOthers(int demand, int turns) {
            double exact = (double) demand / (turns + 1);
            int whole = (int) exact;
            return random.nextDouble() < exact - whole ? whole + 1 : whole;
        }

        /** {@return the next jobs, in the order of the rounds; {@link #read} has been called before} */
        public CompletableFuture<List<QueueEntry>> select(Wanted wanted, long now, int demand) {
            CompletableFuture<?> used = places.isEmpty() ? useMore(demand) : CompletableFuture.completedFuture(places);
            return used.thenCompose(done -> selectFromPlaces(wanted, now, demand));
        }

        private CompletableFuture<List<QueueEntry>> selectFromPlaces(Wanted wanted, long now, int demand) {
            int count = Math.max(1, places.size());
            return Futures.allOf(places.stream()
                            .map(place -> readJobs(wanted, place, demand, count))
                            .toList())
                    .thenCompose(done -> {
                        List<QueueEntry> selected = inRounds(wanted.latest(now), demand);
                        return selected.size() == demand || !canUseMore()
                                ? CompletableFuture.completedFuture(selected)
                                : useMore(Math.min(PAGE, Math.max(demand, 4 * places.size())))
                                        .thenCompose(more -> selectFromPlaces(wanted, now, demand));
                    });
        }

        private CompletableFuture<?> readJobs(Wanted wanted, Place place, int demand, int count) {
            int share = Math.max(place.left(), (demand + count - 1) / count);
            int limit = 1 + (wanted.followsClock() ? Math.min(demand, share) : WINDOW); // one more tells the last job
            if (place.hasAllJobs || place.jobs.size() >= limit || place.jobsRead >= limit) {
                return CompletableFuture.completedFuture(place);
            }
            return TurnTable.jobs(tx, place.key, limit).thenAccept(jobs -> {
                place.jobs = jobs;
                place.jobsRead = limit;
                place.hasAllJobs = jobs.size() < limit;
            });
        }

        private List<QueueEntry> inRounds(long latest, int demand) {
            List<Deque<QueueEntry>> eligible = new ArrayList<>(places.size());
            places.forEach(place -> eligible.add(place.jobs.stream()
                    .filter(job -> job.scheduledTime() <= latest)
                    .collect(Collectors.toCollection(ArrayDeque::new))));
            List<QueueEntry> selected = new ArrayList<>(demand);
            boolean isFirstRound = true;
            int before = -1;
            while (selected.size() < demand && selected.size() > before) {
                before = selected.size();
                for (int i = 0; i < places.size(); i++) {
                    Place place = places.get(i);
                    int turn = isFirstRound ? place.left() : place.weight;
                    for (int job = 0;
                            job < turn
                                    && selected.size() < demand
                                    && !eligible.get(i).isEmpty();
                            job++) {
                        selected.add(eligible.get(i).remove());
                    }
                }
                isFirstRound = false;
            }
            return selected;
        }

        /** Records the jobs that this try has claimed, and those whose rows it has cleared because they were stale. */
        public void record(List<RowChange> claims, Set<String> stale) {
            if (places.isEmpty()) {
                return;
            }
            Set<String> claimed = claims.stream().map(claim -> claim.ref().id()).collect(Collectors.toSet());
            for (Place place : places) {
                List<QueueEntry> rest = new ArrayList<>();
                for (QueueEntry job : place.jobs) {
                    if (claimed.contains(job.jobId())) {
                        place.started++;
                        place.hasStarted = true;
                        place.hasLostJobs = true;
                    } else if (stale.contains(job.jobId())) {
                        place.hasLostJobs = true;
                    } else {
                        rest.add(job);
                    }
                }
                place.jobsRead = place.hasLostJobs ? 0 : place.jobsRead;
                place.jobs = rest;
            }
        }

        /**
         * Writes what becomes of the turns and the requests. Of the new turns those that have begun come first. Those
         * that are used up come behind all others.
         */
        public void settle() {
            requestsAfter = lastRequest;
            Set<TurnKey> ended = places.stream()
                    .filter(Place::isEmpty)
                    .map(place -> place.key)
                    .collect(Collectors.toSet());
            newPlaces(place -> place.hasStarted && !place.isUsedUp()).forEach(place -> place.settle(tx));
            newPlaces(place -> !place.hasStarted).forEach(place -> place.settle(tx));
            newKeys.stream().filter(this::isUnused).forEach(request -> request.grant(tx, 0));
            places.stream().filter(place -> place.turn != null).forEach(place -> place.settle(tx));
            newPlaces(Place::isUsedUp).forEach(place -> place.settle(tx));
            for (TurnRequest request : confirmed) {
                if (ended.contains(request.key())) {
                    request.clear(tx);
                } else {
                    request.confirm(tx);
                }
            }
        }

        private Stream<Place> newPlaces(Predicate<Place> condition) {
            return places.stream().filter(place -> place.turn == null && condition.test(place));
        }

        private boolean isUnused(TurnRequest newKey) {
            return places.stream().noneMatch(place -> place.request == newKey);
        }

        /** {@return whether this try has claimed a job with a turn key} */
        public boolean hasStarted() {
            return places.stream().anyMatch(place -> place.hasStarted);
        }

        /**
         * {@return whether the next claim may find jobs at once; after {@link #settle}} A try that has changed turns
         * without a claim arms no watch: it would conflict with every enqueue.
         *
         * @param hasClaimed whether this try has claimed a job
         */
        public boolean leavesJobs(boolean hasClaimed) {
            return hasProgressed() && (!hasClaimed || mayHaveMore());
        }

        private boolean mayHaveMore() {
            return hasMoreTurns
                    || hasSkippedTurns
                    || hasMoreRequests
                    || !unused.isEmpty()
                    || places.stream().anyMatch(place -> !place.isEmpty());
        }

        /** {@return whether this try has changed a turn or a request} */
        private boolean hasProgressed() {
            return !newKeys.isEmpty()
                    || !confirmed.isEmpty()
                    || places.stream().anyMatch(place -> place.hasLostJobs || place.isEmpty());
        }

        /** {@return a rest until a job that this try has read, and that was not due, is due} */
        public Rest rest(long now) {
            return Rest.until(places.stream()
                    .flatMap(place -> place.jobs.stream())
                    .mapToLong(QueueEntry::scheduledTime)
                    .filter(time -> time > now)
                    .min());
        }
    }
}
