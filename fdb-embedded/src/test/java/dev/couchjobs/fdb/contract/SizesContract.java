package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Sizes: of a transaction, to the byte, as a cluster counts them; and of ranges, which are estimates of which little is
 * promised.
 */
class SizesContract extends FdbContract {

    private static final int TRANSACTION_TOO_LARGE = 2101;
    private static final int LARGEST_VALUE = 100_000;
    private static final int LARGEST_TRANSACTION = 10_000_000;

    /** What a cluster counts for a mutation and for a conflict range, besides the bytes of their keys and values. */
    private static final int MUTATION = 44;

    private static final int RANGE = 24;

    @Test
    void aSetCountsItsKeyItsValueAndItsConflictRange() {
        assertSize(rowSize(1) + 70, tr -> set(tr, "k", "x".repeat(70)));
    }

    @Test
    void aSetWithoutConflictRangeCountsLess() {
        assertSize(MUTATION + keySize(1) + 70, tr -> {
            tr.options().setNextWriteNoWriteConflictRange();
            set(tr, "k", "x".repeat(70));
        });
    }

    @Test
    void anAtomicOperationCountsLikeASet() {
        assertSize(rowSize(1) + 8, tr -> tr.mutate(MutationType.ADD, key("k"), new byte[8]));
    }

    @Test
    void onlyTheLastSetOfAKeyCounts() {
        assertSize(rowSize(1) + 7, tr -> {
            set(tr, "k", "x".repeat(70));
            set(tr, "k", "x".repeat(7));
        });
    }

    @Test
    void aClearCountsItsRangeTwice() {
        assertSize(MUTATION + RANGE + 2 * (keySize(1) + keySize(3)), tr -> tr.clear(key("a"), key("bcd")));
    }

    @Test
    void conflictRangesCountOnceEach() {
        int write = rowSize(1) + 1;
        assertSize(write + RANGE + 2 * keySize(1) + 1, tr -> {
            set(tr, "k", "1");
            tr.addReadConflictKey(key("r"));
        });
        assertSize(write + RANGE + keySize(1) + keySize(3), tr -> {
            set(tr, "k", "1");
            get(tr.snapshot(), "s");
            tr.addReadConflictRange(key("r"), key("stu"));
        });
        assertSize(write + RANGE + keySize(1) + keySize(3), tr -> {
            set(tr, "k", "1");
            tr.addWriteConflictRange(key("r"), key("stu"));
        });
    }

    @Test
    void aReadCountsItsConflictRange() {
        int write = rowSize(1) + 1;
        assertSize(write + RANGE + 2 * keySize(1) + 1, tr -> {
            set(tr, "k", "1");
            get(tr, "r");
        });
        assertSize(write + RANGE + keySize(1) + keySize(3), tr -> {
            set(tr, "k", "1");
            rows(tr.getRange(range("r", "stu")));
        });
    }

    @Test
    void tenMegabytesFitToTheByte() {
        Transaction tr = begin();
        fill(tr, LARGEST_TRANSACTION);
        await(tr.commit());
        Transaction larger = begin();
        fill(larger, LARGEST_TRANSACTION + 1);
        assertFailsWith(TRANSACTION_TOO_LARGE, larger.commit());
    }

    private void fill(Transaction tr, int bytes) {
        int left = bytes;
        for (int i = 0; left > 0; i++) {
            int value = Math.min(LARGEST_VALUE, left - rowSize(3));
            set(tr, "%03d".formatted(i), "x".repeat(value));
            left -= rowSize(3) + value;
        }
    }

    /** The transaction fits into a limit of exactly this size. */
    private void assertSize(int bytes, Consumer<Transaction> body) {
        Transaction fitting = begin();
        fitting.options().setSizeLimit(bytes);
        body.accept(fitting);
        await(fitting.commit());
        Transaction tooLarge = begin();
        tooLarge.options().setSizeLimit(bytes - 1);
        body.accept(tooLarge);
        assertFailsWith(TRANSACTION_TOO_LARGE, tooLarge.commit());
    }

    /** A row without its value: the mutation, and a conflict range from the key to the one after it. */
    private int rowSize(int nameLength) {
        return MUTATION + RANGE + 3 * keySize(nameLength) + 1;
    }

    private int keySize(int nameLength) {
        return prefixKeys().prefix().length + nameLength;
    }

    @Test
    void theApproximateSizeAddsUpWhatTheCallsCount() {
        Transaction tr = begin();
        assertThat(await(tr.getApproximateSize())).isZero();
        set(tr, "k", "x".repeat(70));
        assertThat(await(tr.getApproximateSize())).isEqualTo(rowSize(1) + 70);
        set(tr, "k", "x".repeat(7));
        assertThat(await(tr.getApproximateSize())).isEqualTo(2 * rowSize(1) + 77);
    }

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

    /**
     * FoundationDB's client counts 44 bytes for a mutation besides what it holds, and 24 for a range besides its ends.
     */
    @Test
    void theApproximateSizeIsCountedAsTheClientCountsIt() {
        byte[] key = key("a");
        long length = key.length;
        long range = 2 * length + 1 + 24;
        Transaction tr = begin();
        tr.set(key, bytes("xyz"));
        assertThat(await(tr.getApproximateSize())).isEqualTo(length + 3 + 44 + range);

        Transaction clearing = begin();
        clearing.clear(key);
        assertThat(await(clearing.getApproximateSize())).isEqualTo(2 * range);

        Transaction clearingNothing = begin();
        clearingNothing.clear(key, key);
        assertThat(await(clearingNothing.getApproximateSize())).isEqualTo(4 * length + 44 + 24);

        Transaction stamping = begin();
        byte[] stampedKey = VersionstampOperands.operand(key, bytes(""));
        stamping.mutate(MutationType.SET_VERSIONSTAMPED_KEY, stampedKey, bytes("xyz"));
        assertThat(await(stamping.getApproximateSize())).isEqualTo(stampedKey.length + 3L + 44);
    }

    /** The client counts the whole range for each part of it that the transaction's own writes leave open. */
    @Test
    void theApproximateSizeCountsADeclaredReadForEachPartThatOwnWritesLeaveOpen() {
        Range read = range("c", "k");
        long range = 2L * keySize(1) + RANGE;
        assertReadAdds(range, tr -> {}, read);
        assertReadAdds(0, tr -> tr.clear(range("a", "z")), read);
        assertReadAdds(range, tr -> tr.clear(range("a", "d")), read);
        assertReadAdds(2 * range, tr -> tr.clear(range("d", "f")), read);
        assertReadAdds(2 * range, tr -> set(tr, "d", ""), read);
        assertReadAdds(3 * range, tr -> tr.mutate(MutationType.ADD, key("d"), bytes("1")), read);
        assertReadAdds(2 * range, tr -> tr.mutate(MutationType.ADD, key("c"), bytes("1")), read);
        assertReadAdds(
                3 * range,
                tr -> {
                    tr.mutate(MutationType.ADD, key("e"), bytes("1"));
                    tr.clear(range("d", "f"));
                    tr.mutate(MutationType.ADD, key("e"), bytes("1"));
                    set(tr, "i", "");
                },
                read);
        assertReadAdds(
                4 * range,
                tr -> {
                    tr.mutate(MutationType.ADD, key("d"), bytes("1"));
                    tr.mutate(MutationType.ADD, key("d\0"), bytes("1"));
                },
                read);
    }

    private void assertReadAdds(long bytes, Consumer<Transaction> writes, Range read) {
        Transaction tr = begin();
        writes.accept(tr);
        long before = await(tr.getApproximateSize());
        tr.addReadConflictRange(read.begin, read.end);
        assertThat(await(tr.getApproximateSize()) - before).isEqualTo(bytes);
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
        assertThat(await(tr.getEstimatedRangeSizeBytes(prefixKeys().all()))).isNotNegative();
        assertThat(await(tr.snapshot().getEstimatedRangeSizeBytes(key("a"), key("b"))))
                .isNotNegative();
    }

    @Test
    void aChunkLargerThanTheRangeSplitsNothing() {
        given("a", "1", "b", "2");
        List<byte[]> points = await(begin().getRangeSplitPoints(key("a"), key("c"), 1_000_000))
                .getKeys();
        assertThat(points).containsExactly(key("a"), key("c"));
    }

    @Test
    void splitPointsRunFromTheBeginToTheEndOfTheRange() {
        commit(tr -> {
            for (int i = 0; i < 100; i++) {
                set(tr, "%03d".formatted(i), "x".repeat(10_000));
            }
        });
        List<byte[]> points =
                await(begin().getRangeSplitPoints(prefixKeys().all(), 100_000)).getKeys();

        assertThat(points).hasSizeGreaterThanOrEqualTo(2);
        assertThat(points.get(0)).isEqualTo(prefixKeys().all().begin);
        assertThat(points.get(points.size() - 1)).isEqualTo(prefixKeys().all().end);
        assertThat(points).isSortedAccordingTo(ByteArrayUtil::compareUnsigned).doesNotHaveDuplicates();
    }
}
