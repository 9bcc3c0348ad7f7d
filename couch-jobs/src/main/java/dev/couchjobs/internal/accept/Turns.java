package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.RowChange;
import dev.couchjobs.internal.data.Turn;
import dev.couchjobs.internal.data.TurnTable;
import dev.couchjobs.internal.data.TypeKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The turns of the turn keys of a type in one try of a claim. The try reads the first turns and the first jobs of their
 * keys, selects jobs round by round, and at its end moves the turns that are used up behind all others.
 */
final class Turns {
    /** The number of jobs of a key to read for criteria that only some jobs of the queue meet. */
    private static final int WINDOW = 100;

    private final TypeKeys keys;
    private final RandomGenerator random;
    private final int skipMax;
    private @Nullable CompletableFuture<List<Place>> places;
    /** Whether there are turns that this try does not use. */
    private boolean hasOtherTurns;

    /** @param skipMax how many turns to skip at most, after conflicts */
    Turns(TypeKeys keys, RandomGenerator random, int skipMax) {
        this.keys = keys;
        this.random = random;
        this.skipMax = skipMax;
    }

    /** A turn that this try has read. */
    private static final class Place {
        final Turn turn;
        final int weight;
        /** The first jobs of the key, without those that this try has claimed or found to be stale. */
        List<QueueEntry> jobs = List.of();

        boolean hasAllJobs;
        boolean hasLostJobs;
        boolean hasStarted;
        /** How many jobs the key has started in the turn, with those of this try. */
        long started;

        Place(Turn turn, int weight) {
            this.turn = turn;
            this.weight = weight;
            this.started = turn.started() % weight; // the weight may have been lowered
        }

        /** {@return how many jobs are left in the turn, or in the next one if it is used up} */
        int left() {
            return Math.toIntExact(weight - started % weight);
        }

        boolean isEmpty() {
            return hasAllJobs && jobs.isEmpty();
        }
    }

    /** Reads the first turns, as many as the jobs that this try may claim. {@return how many there are} */
    CompletableFuture<Integer> read(Transaction tx, int demand) {
        CompletableFuture<List<Place>> known = places;
        if (known == null) {
            int limit = demand + skipMax;
            CompletableFuture<Boolean> isWeighted = TurnTable.mayHaveWeights(tx, keys);
            known = TurnTable.first(tx, keys, limit)
                    .thenCompose(turns -> isWeighted.thenCompose(weighted -> {
                        int skipped = random.nextInt(Math.max(0, Math.min(skipMax, turns.size() - demand)) + 1);
                        int end = Math.min(turns.size(), skipped + demand);
                        hasOtherTurns = turns.size() == limit || turns.size() > demand;
                        return places(tx, turns.subList(skipped, end), weighted);
                    }));
            places = known;
        }
        return known.thenApply(List::size);
    }

    private static CompletableFuture<List<Place>> places(Transaction tx, List<Turn> turns, boolean weighted) {
        List<CompletableFuture<Place>> read = turns.stream()
                .map(turn -> (weighted
                                ? TurnTable.weight(tx.snapshot(), turn.key())
                                : CompletableFuture.completedFuture(1))
                        .thenApply(weight -> new Place(turn, weight)))
                .toList();
        return allOf(read)
                .thenApply(done -> read.stream().map(CompletableFuture::join).toList());
    }

    /**
     * {@return how many of some jobs to claim are for jobs without a turn key} They take turns like one more key. The
     * number is rounded at random, so that the share is exact on average.
     */
    int shareOfOthers(int demand, int turns) {
        double exact = (double) demand / (turns + 1);
        int whole = (int) exact;
        return random.nextDouble() < exact - whole ? whole + 1 : whole;
    }

    /** {@return the next jobs, in the order of the rounds; {@link #read} has been called before} */
    CompletableFuture<List<QueueEntry>> select(Transaction tx, ClaimCriteria criteria, long now, int demand) {
        return read(tx, demand).thenCompose(count -> {
            List<Place> read = placesRead();
            return count == 0
                    ? CompletableFuture.completedFuture(List.of())
                    : allOf(read.stream()
                                    .map(place -> readJobs(tx, criteria, place, demand, count))
                                    .toList())
                            .thenApply(done -> inRounds(read, criteria, now, demand));
        });
    }

    private List<Place> placesRead() {
        CompletableFuture<List<Place>> read = places;
        return read == null || !read.isDone() || read.isCompletedExceptionally() ? List.of() : read.join();
    }

    private static CompletableFuture<?> readJobs(
            Transaction tx, ClaimCriteria criteria, Place place, int demand, int count) {
        int share = Math.max(place.left(), (demand + count - 1) / count);
        int limit = 1 + (criteria.followsClock() ? Math.min(demand, share) : WINDOW); // one more tells the last job
        if (place.hasAllJobs || place.jobs.size() >= limit) {
            return CompletableFuture.completedFuture(place);
        }
        return TurnTable.jobs(tx, place.turn.key(), limit).thenAccept(jobs -> {
            place.jobs = jobs;
            place.hasAllJobs = jobs.size() < limit;
        });
    }

    private static List<QueueEntry> inRounds(List<Place> places, ClaimCriteria criteria, long now, int demand) {
        Map<Place, List<QueueEntry>> eligible = new HashMap<>();
        places.forEach(place -> eligible.put(
                place,
                place.jobs.stream()
                        .filter(job -> criteria.followsClock() || job.scheduledTime() <= criteria.latest(now))
                        .toList()));
        List<QueueEntry> selected = new ArrayList<>(demand);
        Map<Place, Integer> taken = new HashMap<>();
        boolean isProgress = true;
        while (isProgress && selected.size() < demand) {
            isProgress = false;
            for (Place place : places) {
                List<QueueEntry> jobs = eligible.getOrDefault(place, List.of());
                int from = taken.getOrDefault(place, 0);
                int round = from == 0 ? place.left() : place.weight;
                int to = Math.min(jobs.size(), from + Math.min(round, demand - selected.size()));
                selected.addAll(jobs.subList(from, to));
                taken.put(place, to);
                isProgress |= to > from;
            }
        }
        return selected;
    }

    /** Records the jobs that this try has claimed, and those whose rows it has cleared because they were stale. */
    void record(List<RowChange> claims, Set<String> stale) {
        if (placesRead().isEmpty()) {
            return;
        }
        Set<String> claimed = claims.stream().map(claim -> claim.ref().id()).collect(Collectors.toSet());
        for (Place place : placesRead()) {
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
            place.jobs = rest;
        }
    }

    /** Moves the turns that are used up behind all others, and ends those whose keys have no job left. */
    void settle(Transaction tx) {
        for (Place place : placesRead()) {
            if (place.isEmpty()) {
                place.turn.end(tx);
            } else if (place.started >= place.weight) {
                place.turn.moveToEnd(tx, place.started % place.weight);
            } else if (place.hasStarted) {
                place.turn.keep(tx, place.started);
            }
        }
    }

    /** {@return whether this try has claimed a job with a turn key} */
    boolean hasStarted() {
        return placesRead().stream().anyMatch(place -> place.hasStarted);
    }

    /** {@return whether keys may have jobs that this try has not selected; after {@link #settle}} */
    boolean mayHaveMore() {
        return hasOtherTurns || placesRead().stream().anyMatch(place -> !place.isEmpty());
    }

    /** {@return whether this try has changed a turn} */
    boolean hasProgressed() {
        return placesRead().stream().anyMatch(place -> place.hasLostJobs || place.isEmpty());
    }

    private static CompletableFuture<Void> allOf(List<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
    }
}
