package dev.couchjobs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever is logged, no line of it can be taken for another entry. */
class SafeLogTest {
    private static final String FORGED = "[main] INFO couch-jobs.audit - {}";
    private static final List<String> BREAKS =
            List.of("\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\u000b", "\f");

    private static final SafeLog LOG = SafeLog.of(SafeLogTest.class);

    private static String logged(Runnable log) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            log.run();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static void assertNotForged(String text) {
        assertThat(text).contains(FORGED);
        assertThat(text.split("[\\r\\n\\u2028\\u2029\\u0085\\u000b\\f]", -1))
                .noneMatch(line -> line.startsWith(FORGED));
    }

    @Test
    void namesAndErrorsAddNoEntry() {
        for (String line : BREAKS) {
            String hostile = "a" + line + FORGED;
            assertNotForged(logged(() -> LOG.error("Topic {} is gone", hostile)));
            assertNotForged(logged(() -> LOG.error("{} has failed: {}", List.of(hostile), "b")));
            Throwable cause = new IllegalStateException(hostile, new Error("b" + line + FORGED));
            cause.addSuppressed(new Exception(hostile));
            assertNotForged(logged(() -> LOG.error("A request has failed", cause)));
            assertNotForged(logged(() -> LOG.error("Topic {} has failed", "a", cause)));
        }
    }

    @Test
    void theStackTraceIsThat() {
        Throwable error = new IllegalStateException("bad luck", new Error("worse"));
        assertThat(logged(() -> LOG.error("Failed", error)))
                .contains("Failed", "java.lang.IllegalStateException: bad luck", "Caused by: java.lang.Error: worse")
                .contains("at dev.couchjobs.loop.SafeLogTest.theStackTraceIsThat");
    }

    @Test
    void anErrorMayBeItsOwnCauseAndThrow() {
        Throwable cyclic = new Throwable() {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Throwable getCause() {
                return this;
            }

            @Override
            @SuppressWarnings("OverrideThrowableToString")
            public String toString() {
                throw new IllegalStateException("no text");
            }
        };
        assertThat(logged(() -> LOG.error("Failed", cyclic))).contains("Failed");
    }
}
