package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.tuple.Tuple;
import java.util.ArrayList;
import java.util.List;

/**
 * The last calls that have consumed messages in transactions of their own. A call whose commit has an unknown result
 * finds its token here, or knows that it is not here, unless too many others came in between.
 *
 * @param count how many calls there were
 * @param tokens of the last of them
 */
record RecentCalls(long count, List<Long> tokens) {
    static final RecentCalls NONE = new RecentCalls(0, List.of());

    private static final int TOKENS_MAX = 16;

    RecentCalls {
        tokens = List.copyOf(tokens);
    }

    RecentCalls plus(long token) {
        List<Long> all = new ArrayList<>(tokens);
        all.add(token);
        return new RecentCalls(count + 1, all.subList(Math.max(0, all.size() - TOKENS_MAX), all.size()));
    }

    boolean contains(long token) {
        return tokens.contains(token);
    }

    /** {@return whether all calls since an earlier state are here} */
    boolean reachesBackTo(RecentCalls earlier) {
        return count - earlier.count <= TOKENS_MAX;
    }

    Tuple encode() {
        return Tuple.from(count, tokens);
    }

    static RecentCalls decode(Tuple value) {
        return new RecentCalls(
                value.getLong(0),
                value.getNestedList(1).stream().map(token -> (Long) token).toList());
    }
}
