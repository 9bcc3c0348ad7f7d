package dev.couchjobs.internal.feed;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the change feed of a type. */
public final class FeedKeys {
    private final Subspace feed;
    private final byte[] watchesActivity;
    private final byte[] feedTrimmed;

    private FeedKeys(TypeKeys type) {
        feed = type.table("feed");
        watchesActivity = type.row("watches_activity");
        feedTrimmed = type.row("feed_trimmed");
    }

    public static FeedKeys of(TypeKeys type) {
        return type.derived(FeedKeys.class, FeedKeys::new);
    }

    byte[] feedPrefix() {
        return feed.pack();
    }

    Range feed() {
        return feed.range();
    }

    Range feedAfter(Versionstamp sequence) {
        return new Range(ByteArrayUtil.keyAfter(feed.pack(sequence)), feed.range().end);
    }

    Range feedUpTo(Versionstamp sequence) {
        return new Range(feed.range().begin, ByteArrayUtil.keyAfter(feed.pack(sequence)));
    }

    Versionstamp sequenceOfFeed(byte[] key) {
        return feed.unpack(key).getVersionstamp(0);
    }

    byte[] feedTrimmed() {
        return feedTrimmed;
    }

    /** Changed by every commit that appends to the feed, and so by every commit that starts a job. */
    public byte[] watchesActivity() {
        return watchesActivity;
    }
}
