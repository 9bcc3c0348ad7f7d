package dev.couchjobs.fdb.internal.common;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.FDBException;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What an error of the engine says about itself, which a cluster's errors ask the native client. */
class FdbErrorTest {
    private static final Set<Integer> MAYBE_COMMITTED = Set.of(1021, 1039);
    private static final Set<Integer> NOT_COMMITTED =
            Set.of(1007, 1009, 1020, 1037, 1038, 1042, 1051, 1078, 1213, 1223);

    static IntStream retryable() {
        return Stream.of(MAYBE_COMMITTED, NOT_COMMITTED).flatMap(Set::stream).mapToInt(Integer::intValue);
    }

    @ParameterizedTest
    @MethodSource("retryable")
    void everyRetryableCodeIsKnown(int code) {
        assertThat(FdbError.ofCode(code)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(FdbError.class)
    void theRetryClassIsThatOfTheCode(FdbError error) {
        FDBException exception = error.exception();
        assertThat(exception.getCode()).isEqualTo(error.code());
        assertThat(exception.isMaybeCommitted()).isEqualTo(MAYBE_COMMITTED.contains(error.code()));
        assertThat(exception.isRetryableNotCommitted()).isEqualTo(NOT_COMMITTED.contains(error.code()));
        assertThat(exception.isRetryable())
                .isEqualTo(exception.isMaybeCommitted() || exception.isRetryableNotCommitted());
    }

    /** The binding's futures clone an error for each thread that waits for it. */
    @ParameterizedTest
    @EnumSource(FdbError.class)
    void aCloneSaysTheSame(FdbError error) {
        FDBException exception = error.exception("the detail");
        FDBException clone = (FDBException) exception.retargetClone();
        assertThat(clone)
                .hasMessage(Objects.requireNonNull(exception.getMessage()))
                .hasCause(exception);
        assertThat(clone.getCode()).isEqualTo(error.code());
        assertThat(clone.isRetryable()).isEqualTo(exception.isRetryable());
        assertThat(clone.isMaybeCommitted()).isEqualTo(exception.isMaybeCommitted());
    }
}
