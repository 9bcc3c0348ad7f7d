package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.AtomicMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.keys.KeySpaceBounds;
import dev.couchjobs.fdb.internal.keys.Limits;
import dev.couchjobs.fdb.internal.keys.StampTemplate;
import dev.couchjobs.fdb.internal.keys.StampedKey;
import dev.couchjobs.fdb.internal.versions.Snapshot;
import dev.couchjobs.fdb.internal.watches.Watch;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The writes of one attempt, each with its checks and the conflict range it announces. Guarded like the attempt. */
final class TransactionWrites {
    private static final int MUTATION_OVERHEAD_BYTES = 44;
    /** The only operand the metadata version key takes: all of it is the stamp, at offset 0. */
    private static final byte[] BARE_STAMP = new byte[CommitStamp.BYTES + Integer.BYTES];

    private final TransactionAttempt attempt;

    TransactionWrites(TransactionAttempt attempt) {
        this.attempt = attempt;
    }

    void set(byte[] key, byte[] value) {
        boolean conflict = attempt.settings().takeWriteConflict();
        attempt.checkNotCommitting();
        checkLegal(key);
        checkSize(key, value);
        attempt.writes().set(key, value);
        KeyRange range = KeyRange.of(key);
        account(range, value, conflict);
        touch(range, value, true);
    }

    void clear(byte[] key) {
        boolean conflict = attempt.settings().takeWriteConflict();
        attempt.checkNotCommitting();
        checkLegal(key);
        if (key.length > Limits.storableKeyBytes(key)) {
            return;
        }
        attempt.writes().clear(key);
        KeyRange range = KeyRange.of(key);
        attempt.addSize(range.bytes() + TransactionAttempt.RANGE_OVERHEAD_BYTES);
        if (conflict) {
            addConflict(range);
        }
        touch(range, null, true);
    }

    void clear(byte[] begin, byte[] end) {
        boolean conflict = attempt.settings().takeWriteConflict();
        if (Bytes.less(end, begin)) {
            throw FdbError.INVERTED_RANGE.exception();
        }
        attempt.checkNotCommitting();
        checkLegalBound(begin);
        checkLegalBound(end);
        // An empty range counts like any other.
        KeyRange fullRange = new KeyRange(begin, end);
        attempt.addSize(fullRange.bytes() + MUTATION_OVERHEAD_BYTES);
        if (conflict) {
            attempt.addSize(fullRange.bytes() + TransactionAttempt.RANGE_OVERHEAD_BYTES);
        }
        KeyRange range = new KeyRange(KeySpaceBounds.shortened(begin), KeySpaceBounds.shortened(end));
        if (range.isEmpty()) {
            return;
        }
        attempt.writes().clear(range.begin(), range.end());
        if (conflict) {
            attempt.writeConflicts().add(range);
        }
        touch(range, null, true);
    }

    void mutate(AtomicMutation mutation, byte[] key, byte[] operand) {
        boolean conflict = attempt.settings().takeWriteConflict();
        attempt.checkNotCommitting();
        if (KeySpaceBounds.isMetadataVersion(key)) {
            checkMetadataVersion(mutation, operand);
        } else {
            checkLegal(key);
        }
        checkSize(key, operand);
        if (mutation == AtomicMutation.SET_VERSIONSTAMPED_KEY) {
            setStampedKey(StampTemplate.parse(key), operand);
            return;
        }
        if (mutation == AtomicMutation.SET_VERSIONSTAMPED_VALUE) {
            StampTemplate.check(operand);
        }
        attempt.writes().mutate(mutation, key, operand);
        KeyRange range = KeyRange.of(key);
        account(range, operand, conflict);
        touch(range, null, false);
    }

    void addConflict(byte[] begin, byte[] end) {
        attempt.checkNotCommitting();
        checkLegalBound(begin);
        checkLegalBound(end);
        addConflict(new KeyRange(KeySpaceBounds.shortened(begin), KeySpaceBounds.shortened(end)));
    }

    /**
     * Where it lands is known only to the pipeline, which announces the conflict; until then the keys are unreadable.
     */
    private void setStampedKey(StampTemplate template, byte[] value) {
        Snapshot snapshot = attempt.snapshotIfTaken();
        KeyRange possible = template.possibleKeys(snapshot == null ? 0 : snapshot.stampVersion());
        KeyRange legal = new KeyRange(
                possible.begin(), Bytes.min(possible.end(), attempt.settings().readEnd()));
        attempt.writes().stampKey(new StampedKey(template, value, legal));
        attempt.addSize(template.bytes().length + Integer.BYTES + value.length + MUTATION_OVERHEAD_BYTES);
        touch(legal, null, false);
    }

    private void account(KeyRange key, byte[] value, boolean conflict) {
        attempt.addSize(key.begin().length + value.length + MUTATION_OVERHEAD_BYTES);
        if (conflict) {
            addConflict(key);
        }
    }

    private void addConflict(KeyRange range) {
        if (!range.isEmpty()) {
            attempt.writeConflicts().add(range);
            attempt.addSize(range.bytes() + TransactionAttempt.RANGE_OVERHEAD_BYTES);
        }
    }

    /** A watch set earlier in this transaction fires at once when the transaction itself changes the key. */
    private void touch(KeyRange range, byte @Nullable [] value, boolean valueKnown) {
        if (attempt.watches().isEmpty() || range.isEmpty()) {
            return;
        }
        Iterator<Map.Entry<byte[], List<Watch>>> touched = attempt.watches()
                .subMap(range.begin(), true, range.end(), false)
                .entrySet()
                .iterator();
        while (touched.hasNext()) {
            List<Watch> watches = touched.next().getValue();
            watches.removeIf(watch -> {
                boolean fires = !valueKnown || watch.differsFrom(value);
                if (fires) {
                    watch.fire();
                }
                return fires;
            });
            if (watches.isEmpty()) {
                touched.remove();
            }
        }
    }

    private void checkMetadataVersion(AtomicMutation mutation, byte[] operand) {
        if (mutation != AtomicMutation.SET_VERSIONSTAMPED_VALUE || Bytes.compare(operand, BARE_STAMP) != 0) {
            throw FdbError.CLIENT_INVALID_OPERATION.exception(
                    "the metadata version key can only be set to a bare versionstamp");
        }
    }

    private void checkLegal(byte[] key) {
        if (!Bytes.less(key, attempt.settings().writeEnd())) {
            throw FdbError.KEY_OUTSIDE_LEGAL_RANGE.exception();
        }
    }

    private void checkLegalBound(byte[] bound) {
        if (Bytes.less(attempt.settings().writeEnd(), bound)) {
            throw FdbError.KEY_OUTSIDE_LEGAL_RANGE.exception();
        }
    }

    private static void checkSize(byte[] key, byte[] value) {
        if (key.length > Limits.writableKeyBytes(key)) {
            throw FdbError.KEY_TOO_LARGE.exception(key.length + " bytes");
        }
        if (value.length > Limits.VALUE_BYTES) {
            throw FdbError.VALUE_TOO_LARGE.exception(value.length + " bytes");
        }
    }
}
