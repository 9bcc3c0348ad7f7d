package dev.couchjobs.fdb.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.MutationType;
import dev.couchjobs.fdb.testing.Samples;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AtomicMutationTest {
    @Test
    void addIsAdditionOfIntegersOfTheOperandsLength() {
        Samples.check(1_000, samples -> {
            byte[] existing = samples.bytes(6);
            byte[] operand = samples.bytes(6);

            BigInteger modulus = BigInteger.ONE.shiftLeft(8 * operand.length);
            BigInteger sum = number(existing).add(number(operand)).mod(modulus);
            assertThat(AtomicMutation.ADD.apply(existing, operand)).isEqualTo(bytes(sum, operand.length));
        });
    }

    @Test
    void maxAndMinCompareAsIntegersOfTheOperandsLength() {
        Samples.check(1_000, samples -> {
            byte[] existing = samples.bytes(6);
            byte[] operand = samples.bytes(6);

            BigInteger modulus = BigInteger.ONE.shiftLeft(8 * operand.length);
            BigInteger before = number(existing).mod(modulus);
            assertThat(AtomicMutation.MAX.apply(existing, operand))
                    .isEqualTo(bytes(before.max(number(operand)), operand.length));
            assertThat(AtomicMutation.MIN.apply(existing, operand))
                    .isEqualTo(bytes(before.min(number(operand)), operand.length));
        });
    }

    @Test
    void bitOperationsWorkOnTheValueFittedToTheOperand() {
        Samples.check(1_000, samples -> {
            byte[] existing = samples.bytes(6);
            byte[] operand = samples.bytes(6);

            byte[] fitted = Arrays.copyOf(existing, operand.length);
            byte[] and = new byte[operand.length];
            byte[] or = new byte[operand.length];
            byte[] xor = new byte[operand.length];
            for (int i = 0; i < operand.length; i++) {
                and[i] = (byte) (fitted[i] & operand[i]);
                or[i] = (byte) (fitted[i] | operand[i]);
                xor[i] = (byte) (fitted[i] ^ operand[i]);
            }
            assertThat(AtomicMutation.BIT_AND.apply(existing, operand)).isEqualTo(and);
            assertThat(AtomicMutation.BIT_OR.apply(existing, operand)).isEqualTo(or);
            assertThat(AtomicMutation.BIT_XOR.apply(existing, operand)).isEqualTo(xor);
        });
    }

    @Test
    void aMissingValueTakesTheOperand() {
        Samples.check(1_000, samples -> {
            byte[] operand = samples.bytes(6);

            for (AtomicMutation mutation : AtomicMutation.values()) {
                if (mutation != AtomicMutation.COMPARE_AND_CLEAR) {
                    assertThat(mutation.apply(null, operand))
                            .as(mutation.name())
                            .isEqualTo(operand);
                }
            }
            assertThat(AtomicMutation.COMPARE_AND_CLEAR.apply(null, operand)).isNull();
        });
    }

    @Test
    void noMutationWritesToItsArguments() {
        Samples.check(1_000, samples -> {
            byte[] existing = samples.bytes(6);
            byte[] operand = samples.bytes(6);

            byte[] existingBefore = existing.clone();
            byte[] operandBefore = operand.clone();
            for (AtomicMutation mutation : AtomicMutation.values()) {
                mutation.apply(existing, operand);
            }
            assertThat(existing).isEqualTo(existingBefore);
            assertThat(operand).isEqualTo(operandBefore);
        });
    }

    @Test
    void combinedOperandsDoWhatTheTwoDoOneAfterTheOther() {
        Samples.check(1_000, samples -> {
            byte[] existing = samples.bytes(6);
            byte[] first = samples.bytes(4, 4);
            byte[] second = samples.bytes(4, 4);

            for (AtomicMutation mutation : AtomicMutation.values()) {
                if (mutation.combines()) {
                    byte[] combined = present(mutation.apply(first, second));
                    assertThat(mutation.apply(existing, combined))
                            .as(mutation.name())
                            .isEqualTo(mutation.apply(mutation.apply(existing, first), second));
                    assertThat(mutation.apply(null, combined))
                            .as(mutation.name())
                            .isEqualTo(mutation.apply(mutation.apply(null, first), second));
                }
            }
        });
    }

    @Test
    void appendingStopsAtTheLargestValue() {
        byte[] almostFull = new byte[Limits.VALUE_BYTES - 1];
        assertThat(AtomicMutation.APPEND_IF_FITS.apply(almostFull, new byte[1])).hasSize(Limits.VALUE_BYTES);
        assertThat(AtomicMutation.APPEND_IF_FITS.apply(almostFull, new byte[2])).isEqualTo(almostFull);
    }

    @Test
    void compareAndClearClearsOnlyTheSameValue() {
        assertThat(AtomicMutation.COMPARE_AND_CLEAR.apply(new byte[] {1}, new byte[] {1}))
                .isNull();
        assertThat(AtomicMutation.COMPARE_AND_CLEAR.apply(new byte[] {1}, new byte[] {1, 0}))
                .containsExactly(1);
    }

    @Test
    @SuppressWarnings("deprecation") // that is what is tested
    void oldNamesMeanTheSame() {
        assertThat(AtomicMutation.of(MutationType.AND)).isSameAs(AtomicMutation.of(MutationType.BIT_AND));
        assertThat(AtomicMutation.of(MutationType.OR)).isSameAs(AtomicMutation.of(MutationType.BIT_OR));
        assertThat(AtomicMutation.of(MutationType.XOR)).isSameAs(AtomicMutation.of(MutationType.BIT_XOR));
    }

    @Test
    void aTemplateThatDoesNotHoldItsStampIsRefused() {
        assertThatThrownBy(() -> StampTemplate.parse(new byte[3])).hasMessageContaining("four-byte offset");
        assertThatThrownBy(() -> StampTemplate.parse(new byte[] {0, 0, 0, 0})).hasMessageContaining("does not fit");
        byte[] justFits = new byte[CommitStamp.BYTES + Integer.BYTES];
        assertThat(StampTemplate.parse(justFits).filled(new CommitStamp(0x0102, 3)))
                .containsExactly(0, 0, 0, 0, 0, 0, 1, 2, 0, 3);
        justFits[CommitStamp.BYTES] = 1;
        assertThatThrownBy(() -> StampTemplate.parse(justFits)).hasMessageContaining("does not fit");
    }

    private static BigInteger number(byte[] littleEndian) {
        byte[] bigEndian = new byte[littleEndian.length];
        for (int i = 0; i < bigEndian.length; i++) {
            bigEndian[i] = littleEndian[littleEndian.length - 1 - i];
        }
        return new BigInteger(1, bigEndian);
    }

    private static byte[] bytes(BigInteger number, int length) {
        byte[] result = new byte[length];
        for (int i = 0; i < length; i++) {
            result[i] = number.shiftRight(8 * i).byteValue();
        }
        return result;
    }

    private static byte[] present(byte @Nullable [] value) {
        return Objects.requireNonNull(value);
    }
}
