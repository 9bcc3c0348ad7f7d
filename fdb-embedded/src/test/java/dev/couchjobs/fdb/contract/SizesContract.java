package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sizes and split points: estimates, of which little is promised. */
public abstract class SizesContract extends FdbContract {

    @Test
    void theApproximateSizeGrowsWithEveryWrite() {
        Transaction tr = begin();
        long empty = await(tr.getApproximateSize());
        set(tr, "a", "x".repeat(1_000));
        long one = await(tr.getApproximateSize());
        tr.clear(range("b", "c"));
        long two = await(tr.getApproximateSize());

        assertThat(empty).isNotNegative();
        assertThat(one).isGreaterThanOrEqualTo(empty + 1_000);
        assertThat(two).isGreaterThan(one);
    }

    @Test
    void theApproximateSizeGrowsWithConflictRanges() {
        Transaction tr = begin();
        get(tr, "a");
        long read = await(tr.getApproximateSize());
        tr.addWriteConflictRange(key("a"), key("b"));
        assertThat(read).isPositive();
        assertThat(await(tr.getApproximateSize())).isGreaterThan(read);
    }

    @Test
    void theSizeOfARangeIsNotNegative() {
        given("a", "x".repeat(50_000), "b", "x".repeat(50_000));
        Transaction tr = begin();
        assertThat(await(tr.getEstimatedRangeSizeBytes(keyspace().all()))).isNotNegative();
        assertThat(await(tr.snapshot().getEstimatedRangeSizeBytes(key("a"), key("b"))))
                .isNotNegative();
    }

    @Test
    void splitPointsRunFromTheBeginToTheEndOfTheRange() {
        commit(tr -> {
            for (int i = 0; i < 100; i++) {
                set(tr, "%03d".formatted(i), "x".repeat(10_000));
            }
        });
        List<byte[]> points =
                await(begin().getRangeSplitPoints(keyspace().all(), 100_000)).getKeys();

        assertThat(points).hasSizeGreaterThanOrEqualTo(2);
        assertThat(points.get(0)).isEqualTo(keyspace().all().begin);
        assertThat(points.get(points.size() - 1)).isEqualTo(keyspace().all().end);
        assertThat(points).isSortedAccordingTo(ByteArrayUtil::compareUnsigned).doesNotHaveDuplicates();
    }
}
