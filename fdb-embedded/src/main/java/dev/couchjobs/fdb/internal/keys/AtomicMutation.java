package dev.couchjobs.fdb.internal.keys;

import com.apple.foundationdb.MutationType;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each atomic mutation makes of the value that is there. Integers are little-endian and unsigned, and a result is
 * as long as the operand: the old value is cut or filled up with zeroes.
 */
public enum AtomicMutation {
    ADD(MutationType.ADD) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            byte[] result = operand.clone();
            int carry = 0;
            for (int i = 0; i < operand.length; i++) {
                int sum = at(existing, i) + at(operand, i) + carry;
                result[i] = (byte) sum;
                carry = sum >> 8;
            }
            return result;
        }
    },
    BIT_AND(MutationType.BIT_AND) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return existing == null ? operand : bitwise(existing, operand, (left, right) -> left & right);
        }
    },
    BIT_OR(MutationType.BIT_OR) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return bitwise(existing, operand, (left, right) -> left | right);
        }
    },
    BIT_XOR(MutationType.BIT_XOR) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return bitwise(existing, operand, (left, right) -> left ^ right);
        }
    },
    APPEND_IF_FITS(MutationType.APPEND_IF_FITS) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            if (existing == null || existing.length == 0) {
                return operand;
            }
            if (existing.length + operand.length > Limits.VALUE_BYTES) {
                return existing;
            }
            byte[] result = Arrays.copyOf(existing, existing.length + operand.length);
            System.arraycopy(operand, 0, result, existing.length, operand.length);
            return result;
        }
    },
    MAX(MutationType.MAX) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return compareAsIntegers(existing, operand) > 0 ? fitted(existing, operand.length) : operand;
        }
    },
    MIN(MutationType.MIN) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return existing != null && compareAsIntegers(existing, operand) < 0
                    ? fitted(existing, operand.length)
                    : operand;
        }
    },
    SET_VERSIONSTAMPED_KEY(MutationType.SET_VERSIONSTAMPED_KEY) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return operand;
        }
    },
    SET_VERSIONSTAMPED_VALUE(MutationType.SET_VERSIONSTAMPED_VALUE) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return operand;
        }
    },
    BYTE_MIN(MutationType.BYTE_MIN) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return existing == null ? operand : Bytes.min(existing, operand);
        }
    },
    BYTE_MAX(MutationType.BYTE_MAX) {
        @Override
        public byte[] apply(byte @Nullable [] existing, byte[] operand) {
            return existing == null ? operand : Bytes.max(existing, operand);
        }
    },
    COMPARE_AND_CLEAR(MutationType.COMPARE_AND_CLEAR) {
        @Override
        public byte @Nullable [] apply(byte @Nullable [] existing, byte[] operand) {
            return Arrays.equals(existing, operand) ? null : existing;
        }
    };

    private static final List<AtomicMutation> ALL = List.of(values());

    private final int code;

    AtomicMutation(MutationType type) {
        this.code = type.code();
    }

    /** The deprecated names of a mutation share its code. */
    public static AtomicMutation of(MutationType type) {
        for (AtomicMutation mutation : ALL) {
            if (mutation.code == type.code()) {
                return mutation;
            }
        }
        throw new UnsupportedOperationException(
                "Mutation " + type + " is not part of the embedded engine; read the value and set it instead.");
    }

    /**
     * The value afterwards, or null for none. A versionstamped operand stands for itself, its placeholder unfilled.
     *
     * @param existing the value before, or null for none; not written to
     */
    public abstract byte @Nullable [] apply(byte @Nullable [] existing, byte[] operand);

    /** Whether two of these on one key, with operands of one length, are the same as one with the operands combined. */
    public boolean combines() {
        return switch (this) {
            case ADD, BIT_AND, BIT_OR, BIT_XOR, MAX, MIN, BYTE_MIN, BYTE_MAX -> true;
            case APPEND_IF_FITS, COMPARE_AND_CLEAR, SET_VERSIONSTAMPED_KEY, SET_VERSIONSTAMPED_VALUE -> false;
        };
    }

    private interface Bitwise {
        int of(int left, int right);
    }

    private static byte[] bitwise(byte @Nullable [] existing, byte[] operand, Bitwise operation) {
        byte[] result = new byte[operand.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = (byte) operation.of(at(existing, i), at(operand, i));
        }
        return result;
    }

    /** Compares as integers of the operand's length. */
    private static int compareAsIntegers(byte @Nullable [] existing, byte[] operand) {
        for (int i = operand.length - 1; i >= 0; i--) {
            int difference = at(existing, i) - at(operand, i);
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private static byte[] fitted(byte @Nullable [] value, int length) {
        return value == null ? new byte[length] : Arrays.copyOf(value, length);
    }

    private static int at(byte @Nullable [] value, int index) {
        return value == null || index >= value.length ? 0 : value[index] & 0xff;
    }
}
