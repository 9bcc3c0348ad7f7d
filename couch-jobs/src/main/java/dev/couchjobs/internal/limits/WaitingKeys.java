package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The limit keys of a type whose jobs wait and may have slots now: those with requests, and those with tokens. A claim
 * admits their jobs to the queue from which it claims. It expects what the claim before has found.
 */
public final class WaitingKeys {
    /** The number of limit keys of each kind to read. */
    private static final int KEYS_MAX = 100;
    /** For how many keys with tokens a try admits jobs. */
    private static final int TOKEN_WAITS_MAX = 10;
    /** The least number of jobs that a try may admit for requests. */
    private static final int ADMITTED_MIN = 100;

    private final TypeKeys keys;
    private final LayoutRow layoutRow;
    private final RandomGenerator random;
    private final Admission admission;

    /** Whether jobs of the instance have had limit keys, as far as this process knows. */
    private volatile boolean mayBeThere;
    /** Whether the last claim has found some. */
    private volatile boolean wereThere;
    /** The limit key behind which the next claim reads requests; null for the first. */
    private volatile @Nullable String requestsAfter;

    public WaitingKeys(TypeKeys keys, LayoutRow layoutRow, Environment environment) {
        this.keys = keys;
        this.layoutRow = layoutRow;
        this.random = environment.random();
        this.admission = new Admission(environment);
    }

    /** The waiting keys in one try of a claim. */
    public final class Try {
        private final Transaction tx;
        private final int demand;
        private final boolean areExpected = wereThere;

        private List<SlotRequest> requests = List.of();
        private List<TokenWaits> tokenWaits = List.of();
        private boolean leavesAny;
        private int admitted;
        private boolean hasTurnKeys;

        /** @param demand how many jobs the try is to claim */
        public Try(Transaction tx, int demand) {
            this.tx = tx;
            this.demand = demand;
        }

        /** Reads the keys. Most instances have no limit keys, which the layout says. */
        public CompletableFuture<?> read(CompletableFuture<Allowance> allowance) {
            CompletableFuture<?> readRequests = mayHaveRequests()
                    .thenCompose(may -> may
                            ? SlotRequest.list(tx, keys, requestsAfter, KEYS_MAX)
                            : CompletableFuture.completedFuture(List.<SlotRequest>of()))
                    .thenAccept(found -> requests = found);
            CompletableFuture<?> readWaits = allowance
                    .thenCompose(rules -> rules.hasRatedKeys()
                            ? TokenWaits.due(tx, keys, KEYS_MAX)
                            : CompletableFuture.completedFuture(List.<TokenWaits>of()))
                    .thenAccept(found -> tokenWaits = found);
            return CompletableFuture.allOf(readRequests, readWaits).thenAccept(read -> wereThere = !isEmpty());
        }

        private CompletableFuture<Boolean> mayHaveRequests() {
            return mayBeThere
                    ? CompletableFuture.completedFuture(true)
                    : layoutRow.checkedBy(tx).thenApply(layout -> {
                        mayBeThere = layout.mayUse(Feature.LIMIT_KEYS);
                        return mayBeThere;
                    });
        }

        /** {@return whether the claim before this one has found some} */
        public boolean areExpected() {
            return areExpected;
        }

        /** {@return whether there is none} */
        public boolean isEmpty() {
            return requests.isEmpty() && tokenWaits.isEmpty();
        }

        /** Leaves it to the next try, or to another process, to admit jobs. */
        public void leave() {
            leavesAny |= !isEmpty();
        }

        /** Admits jobs. Two claims that do so for one key conflict. */
        public CompletableFuture<?> admit() {
            List<CompletableFuture<Admission.Answer>> answers = new ArrayList<>();
            int most = Math.max(1, Math.max(ADMITTED_MIN, demand) / Math.max(1, requests.size()));
            requests.forEach(request -> answers.add(admission.answer(tx, keys, request, most)));
            boolean isFull = requests.size() == KEYS_MAX;
            requestsAfter = isFull ? requests.get(KEYS_MAX - 1).limitKey() : null;
            List<TokenWaits> some = new ArrayList<>(tokenWaits);
            if (!some.isEmpty()) {
                Collections.rotate(some, random.nextInt(some.size()));
            }
            some.stream().limit(TOKEN_WAITS_MAX).forEach(wait -> answers.add(admission.admitForTokens(tx, keys, wait)));
            leavesAny |= isFull || some.size() > TOKEN_WAITS_MAX;
            return Futures.listOf(answers)
                    .thenAccept(all -> all.forEach(answer -> {
                        leavesAny |= answer.leavesMore();
                        admitted += answer.admitted();
                        hasTurnKeys |= answer.hasTurnKeys();
                    }));
        }

        /**
         * {@return whether the next claim may find jobs at once: of keys that are left, with turn keys, which this try
         * may not find, or admitted}
         *
         * @param hasClaimed whether this try has claimed a job
         */
        public boolean leavesJobs(boolean hasClaimed) {
            return leavesAny || hasTurnKeys || (!hasClaimed && admitted > 0);
        }

        /** {@return how many jobs have been admitted} */
        public int admitted() {
            return admitted;
        }
    }
}
