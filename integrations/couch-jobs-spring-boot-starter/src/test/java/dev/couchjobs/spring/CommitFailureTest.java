package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.FDBException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.TransactionSystemException;

/** What the caller of a method is told if its transaction does not commit. */
class CommitFailureTest {
    private static final String AGAIN = "Call the method again.";

    /** An error of FoundationDB, as its client classifies it; that calls the native library, which is not here. */
    private static final class Failure extends FDBException {
        private static final long serialVersionUID = 1;

        Failure(String text, int code) {
            super(text, code);
        }

        @Override
        public boolean isRetryableNotCommitted() {
            return List.of(1007, 1020, 1037, 1213).contains(getCode());
        }

        @Override
        public boolean isMaybeCommitted() {
            return List.of(1021, 1039).contains(getCode());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1007, it took longer than the five seconds",
        "1020, The transaction has not committed: text.",
        "1021, The transaction may have committed",
        "1025, The transaction has not committed: text.",
        "1031, The transaction may have committed",
        "1037, The transaction has not committed: text.",
        "1039, The transaction may have committed",
        "1213, The transaction has not committed: text.",
        "2101, The transaction has not committed: text.",
        "2103, The transaction has not committed: text."
    })
    void aMessageHasWholeSentences(int code, String beginning) {
        for (String text : new String[] {"text", "text."}) {
            String message = ""
                    + JobsTransactionManager.translated(new Failure(text, code)).getMessage();

            assertThat(message).contains(beginning).endsWith(".").doesNotContain("..");
            assertThat(message.split("(?<=[.:]) "))
                    .allSatisfy(sentence -> assertThat(sentence).as(message).matches("[^.:]+[.:]"));
        }
    }

    @ParameterizedTest
    @CsvSource({"1020", "1037", "1213"})
    void aConflictIsWorthAnotherCall(int code) {
        assertThat(JobsTransactionManager.translated(new Failure("text", code)))
                .isInstanceOf(ConcurrencyFailureException.class)
                .hasMessageEndingWith(AGAIN);
    }

    @ParameterizedTest
    @CsvSource({"1007", "1021", "1025", "1031", "1039", "2101"})
    void noOtherFailureIs(int code) {
        assertThat(JobsTransactionManager.translated(new Failure("text", code)))
                .isInstanceOf(TransactionSystemException.class)
                .message()
                .doesNotContain(AGAIN);
    }

    @Test
    void aMethodThatTakesTooLongIsToDoLess() {
        assertThat(JobsTransactionManager.translated(new Failure("text", 1007)))
                .hasMessageContaining("five seconds")
                .hasMessageEndingWith("Do less in the method, or split it.");
    }

    @Test
    void anErrorOfAnotherKindIsToldToo() {
        assertThat(JobsTransactionManager.translated(new IllegalStateException("text")))
                .isInstanceOf(TransactionSystemException.class)
                .hasMessage("The transaction has not committed: text.");
    }
}
