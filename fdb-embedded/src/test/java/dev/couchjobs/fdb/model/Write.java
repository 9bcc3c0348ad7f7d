package dev.couchjobs.fdb.model;

import com.apple.foundationdb.MutationType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** One write of a transaction: done once for each look that the transaction takes, and once when it commits. */
sealed interface Write {

    int STAMP_LENGTH = 10;

    /** Does the write; where a stamp is due, this one is filled in. */
    void applyTo(ModelRows rows, String stamp);

    /** What others that have read it conflict with. */
    ModelKeyRange range(String stamp);

    /** Whether it has the form that is expected of it. */
    default boolean isLegal() {
        return true;
    }

    /** {@code set}. */
    record Put(String key, String value) implements Write {
        @Override
        public void applyTo(ModelRows rows, String stamp) {
            rows.set(key, value);
        }

        @Override
        public ModelKeyRange range(String stamp) {
            return ModelKeyRange.of(key);
        }
    }

    /** {@code clear}, of a key or of a range. */
    record Clear(ModelKeyRange cleared) implements Write {
        @Override
        public void applyTo(ModelRows rows, String stamp) {
            rows.clear(cleared.begin(), cleared.end());
        }

        @Override
        public ModelKeyRange range(String stamp) {
            return cleared;
        }
    }

    /** {@code mutate}. */
    record Mutate(MutationType type, String key, String operand) implements Write {
        @Override
        public void applyTo(ModelRows rows, String stamp) {
            rows.mutate(type, key, operand);
        }

        @Override
        public ModelKeyRange range(String stamp) {
            return ModelKeyRange.of(key);
        }
    }

    /** {@code SET_VERSIONSTAMPED_VALUE}. */
    record StampValue(String key, String template) implements Write {
        @Override
        public boolean isLegal() {
            return isTemplate(template);
        }

        @Override
        public void applyTo(ModelRows rows, String stamp) {
            rows.set(key, filled(template, stamp));
        }

        @Override
        public ModelKeyRange range(String stamp) {
            return ModelKeyRange.of(key);
        }
    }

    /** {@code SET_VERSIONSTAMPED_KEY}. */
    record StampKey(String template, String value) implements Write {
        @Override
        public boolean isLegal() {
            return isTemplate(template);
        }

        @Override
        public void applyTo(ModelRows rows, String stamp) {
            rows.set(filled(template, stamp), value);
        }

        @Override
        public ModelKeyRange range(String stamp) {
            return ModelKeyRange.of(filled(template, stamp));
        }

        /** The keys that it may come to be, if it is committed after the version that has this stamp. */
        ModelKeyRange possible(String earliest) {
            String latest = "\u00ff".repeat(STAMP_LENGTH);
            return new ModelKeyRange(filled(template, earliest), ModelKeyRange.after(filled(template, latest)));
        }
    }

    /** Whether the operand of a versionstamped operation has room for the stamp. */
    private static boolean isTemplate(String operand) {
        int length = operand.length() - Integer.BYTES;
        return length >= 0 && offset(operand) >= 0 && offset(operand) <= length - STAMP_LENGTH;
    }

    /** The operand ends in four bytes, little-endian, that say where the stamp goes. */
    private static int offset(String operand) {
        return ByteBuffer.wrap(Text.bytes(operand.substring(operand.length() - Integer.BYTES)))
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt();
    }

    private static String filled(String template, String stamp) {
        int offset = offset(template);
        return template.substring(0, offset)
                + stamp
                + template.substring(offset + STAMP_LENGTH, template.length() - Integer.BYTES);
    }
}
