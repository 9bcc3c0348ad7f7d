package dev.couchjobs.server.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.PayloadException;
import dev.couchjobs.server.internal.http.Problem;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What callers learn of errors. */
class ProblemsTest {
    private static String text(Throwable error) {
        Problem problem = Problems.of(error);
        return new String(problem.reply().body(), StandardCharsets.UTF_8);
    }

    @Test
    void aPayloadIsNotQuoted() {
        assertThat(text(new CompletionException(new PayloadException("cannot be read: Unrecognized token 'secret'"))))
                .contains("urn:couch-jobs:problem:payload")
                .doesNotContain("secret");
    }

    @Test
    void anUnexpectedErrorIsANumber() {
        assertThat(text(new IllegalStateException("secret", new IllegalArgumentException("secret"))))
                .contains("\"status\":500", "incident ")
                .doesNotContain("secret", "IllegalState");
    }
}
