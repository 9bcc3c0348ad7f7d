package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.limits.Admission;
import dev.couchjobs.internal.limits.Allowance;
import dev.couchjobs.internal.limits.SlotRequest;
import dev.couchjobs.internal.limits.TokenWaits;
import dev.couchjobs.internal.rows.Feature;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The limit keys whose jobs wait and may have slots now, in one try of a claim: those with requests, and those with
 * tokens. The try admits their jobs to the queue from which it claims.
 */
final class WaitingKeys {
    /** The number of limit keys of each kind to read. */
    private static final int KEYS_MAX = 100;
    /** For how many keys with tokens a try admits jobs. */
    private static final int TOKEN_WAITS_MAX = 10;
    /** The least number of jobs that a try may admit for requests. */
    private static final int ADMITTED_MIN = 100;

    private final ClaimParts<?> parts;
    private final int demand;
    private final Transaction tx;

    private List<SlotRequest> requests = List.of();
    private List<TokenWaits> tokenWaits = List.of();
    private boolean leavesAny;
    private int admitted;
    private boolean hasTurnKeys;

    /** @param demand how many jobs the try is to claim */
    WaitingKeys(ClaimParts<?> parts, int demand, Transaction tx) {
        this.parts = parts;
        this.demand = demand;
        this.tx = tx;
    }

    /** Reads the keys. Most instances have no limit keys, which the layout says. */
    CompletableFuture<?> read(CompletableFuture<Allowance> allowance) {
        CompletableFuture<?> readRequests = mayBeThere()
                .thenCompose(may -> may
                        ? SlotRequest.list(tx, parts.keys, parts.memory.slotRequestsAfter, KEYS_MAX)
                        : CompletableFuture.completedFuture(List.<SlotRequest>of()))
                .thenAccept(found -> requests = found);
        CompletableFuture<?> readWaits = allowance
                .thenCompose(rules -> rules.hasRatedKeys()
                        ? TokenWaits.due(tx, parts.keys, KEYS_MAX)
                        : CompletableFuture.completedFuture(List.<TokenWaits>of()))
                .thenAccept(found -> tokenWaits = found);
        return CompletableFuture.allOf(readRequests, readWaits);
    }

    private CompletableFuture<Boolean> mayBeThere() {
        return parts.memory.mayHaveLimitKeys
                ? CompletableFuture.completedFuture(true)
                : parts.layoutRow.checkedBy(tx).thenApply(layout -> {
                    parts.memory.mayHaveLimitKeys = layout.mayUse(Feature.LIMIT_KEYS);
                    return parts.memory.mayHaveLimitKeys;
                });
    }

    boolean isEmpty() {
        return requests.isEmpty() && tokenWaits.isEmpty();
    }

    /** Leaves it to the next try, or to another process, to admit jobs. */
    void leave() {
        leavesAny |= !isEmpty();
    }

    /** Admits jobs. Two claims that do so for one key conflict. */
    CompletableFuture<?> admit() {
        List<CompletableFuture<Admission.Answer>> answers = new ArrayList<>();
        int most = Math.max(1, Math.max(ADMITTED_MIN, demand) / Math.max(1, requests.size()));
        requests.forEach(request -> answers.add(parts.admission.answer(tx, parts.keys, request, most)));
        boolean isFull = requests.size() == KEYS_MAX;
        parts.memory.slotRequestsAfter = isFull ? requests.get(KEYS_MAX - 1).limitKey() : null;
        List<TokenWaits> some = new ArrayList<>(tokenWaits);
        if (!some.isEmpty()) {
            Collections.rotate(some, parts.environment.random().nextInt(some.size()));
        }
        some.stream()
                .limit(TOKEN_WAITS_MAX)
                .forEach(wait -> answers.add(parts.admission.admitForTokens(tx, parts.keys, wait)));
        leavesAny |= isFull || some.size() > TOKEN_WAITS_MAX;
        return Futures.listOf(answers)
                .thenAccept(all -> all.forEach(answer -> {
                    leavesAny |= answer.leavesMore();
                    admitted += answer.admitted();
                    hasTurnKeys |= answer.hasTurnKeys();
                }));
    }

    /**
     * {@return whether the next claim may find jobs at once: of keys that are left, with turn keys, which this try may
     * not find, or admitted}
     *
     * @param hasClaimed whether this try has claimed a job
     */
    boolean leavesJobs(boolean hasClaimed) {
        return leavesAny || hasTurnKeys || (!hasClaimed && admitted > 0);
    }

    /** {@return how many jobs have been admitted} */
    int admitted() {
        return admitted;
    }
}
