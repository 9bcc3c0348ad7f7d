package dev.couchjobs.fdb.model;

import com.apple.foundationdb.MutationType;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * What an atomic operation makes of a value, said with big integers instead of bytes: a value is a little-endian
 * number of as many digits of base 256 as the operand has. Strings hold one byte per character.
 */
final class Folding {

    private static final int LARGEST_VALUE = 100_000;

    private Folding() {}

    static @Nullable String fold(MutationType type, @Nullable String before, String operand) {
        return switch (type) {
            case COMPARE_AND_CLEAR -> operand.equals(before) ? null : before;
            case APPEND_IF_FITS -> append(before == null ? "" : before, operand);
            case BYTE_MIN -> before == null || operand.compareTo(before) <= 0 ? operand : before;
            case BYTE_MAX -> before == null || operand.compareTo(before) >= 0 ? operand : before;
            case BIT_AND, MIN -> before == null ? operand : calculate(type, before, operand);
            case ADD, BIT_OR, BIT_XOR, MAX -> calculate(type, before == null ? "" : before, operand);
            default -> throw new IllegalArgumentException("Not an operation of this model: " + type);
        };
    }

    private static String append(String before, String operand) {
        return before.length() + operand.length() > LARGEST_VALUE ? before : before + operand;
    }

    private static String calculate(MutationType type, String before, String operand) {
        BigInteger modulus = BigInteger.ONE.shiftLeft(8 * operand.length());
        BigInteger a = number(before).mod(modulus);
        BigInteger b = number(operand);
        BigInteger result = switch (type) {
            case ADD -> a.add(b).mod(modulus);
            case BIT_AND -> a.and(b);
            case BIT_OR -> a.or(b);
            case BIT_XOR -> a.xor(b);
            case MIN -> a.min(b);
            case MAX -> a.max(b);
            default -> throw new IllegalArgumentException("Not arithmetic: " + type);
        };
        return digits(result, operand.length());
    }

    private static BigInteger number(String littleEndian) {
        BigInteger number = BigInteger.ZERO;
        for (int i = littleEndian.length() - 1; i >= 0; i--) {
            number = number.shiftLeft(8).or(BigInteger.valueOf(littleEndian.charAt(i)));
        }
        return number;
    }

    private static String digits(BigInteger number, int length) {
        StringBuilder digits = new StringBuilder();
        for (int i = 0; i < length; i++) {
            digits.append((char) (number.shiftRight(8 * i).intValue() & 0xff));
        }
        return digits.toString();
    }
}
