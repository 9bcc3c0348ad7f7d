package dev.couchjobs.internal.limits;

import dev.couchjobs.Rate;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How a limit is split into shards, so that claims of different shards need not commit one after the other. The shares
 * of the shards add up to the limit.
 */
final class Split {
    /** A smaller share would often be used up while others are not. */
    private static final int SHARE_MIN = 8;

    private Split() {}

    /** {@return the shares of a limit, one for each shard} */
    static int[] shares(int limit) {
        int shards = shards(limit);
        return IntStream.range(0, shards)
                .map(shard -> share(limit, shards, shard))
                .toArray();
    }

    /** {@return the parts of a rate, one for each shard} */
    static List<Rate> parts(Rate rate) {
        int shards = shards(rate.burst() == 0 ? rate.starts() : Math.min(rate.starts(), rate.burst()));
        return IntStream.range(0, shards)
                .mapToObj(shard -> new Rate(
                        share(rate.starts(), shards, shard), rate.period(), share(rate.burst(), shards, shard)))
                .toList();
    }

    private static int shards(int limit) {
        return Math.max(1, Math.min(LimitShards.MAX, limit / SHARE_MIN));
    }

    private static int share(int limit, int shards, int shard) {
        return limit / shards + (shard < limit % shards ? 1 : 0);
    }

    /**
     * {@return the shard for a claim} The home of the process, if it allows any job; else any other that does. More
     * than one shard for a claim would make more conflicts than it saves transactions.
     *
     * @param unused how many jobs more each shard allows
     */
    static int choose(Allowance.Home home, int[] unused) {
        int first = Math.floorMod(home.shard(), unused.length);
        int[] others = IntStream.range(0, unused.length)
                .filter(shard -> unused[shard] > 0)
                .toArray();
        return unused[first] > 0 || others.length == 0
                ? first
                : others[home.random().nextInt(others.length)];
    }
}
