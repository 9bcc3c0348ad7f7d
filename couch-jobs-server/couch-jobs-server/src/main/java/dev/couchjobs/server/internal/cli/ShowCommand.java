package dev.couchjobs.server.internal.cli;

import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a type or a job. */
@Command(name = "show", description = "Shows a job with its attempts; without an id, the type.")
final class ShowCommand extends ApiCommand {
    /** {@value}. */
    static final String WAIT_STANDARD = "10m";

    private static final Duration WAIT_MAX = Duration.ofMinutes(10);
    private static final String LOG_LIMIT = "1000";

    @Parameters(index = "0", paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "The id of the job.")
    private @Nullable String id;

    @Option(names = "--log", description = "Shows its log in place of the job.")
    private boolean isLog;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            arity = "0..1",
            fallbackValue = WAIT_STANDARD,
            description = "Waits for its end. The status is 1 if it has not succeeded by then. Without a value:"
                    + " ${FALLBACK-VALUE}.")
    private @Nullable Duration wait;

    @Override
    int run(Session session) {
        if (id == null) {
            fields(session, session.api().get(Address.of("/v1/types/{}", type)));
            return DONE;
        }
        if (isLog) {
            return log(session, id);
        }
        if (wait != null) {
            return await(session, type, id, wait);
        }
        show(session, session.api().get(Address.of("/v1/types/{}/jobs/{}", type, id)), type, id);
        return DONE;
    }

    private int log(Session session, String job) {
        ApiReply log = session.api()
                .get(Address.of("/v1/types/{}/jobs/{}/log", type, job).with("limit", Optional.of(LOG_LIMIT)));
        items(session, log, "number", "at", "claim", "kind", "entry");
        return DONE;
    }

    private static void show(Session session, ApiReply job, String type, String id) {
        fields(session, job);
        if (session.output().isJson()) {
            return;
        }
        var attempts = session.api()
                .get(Address.of("/v1/types/{}/jobs/{}/attempts", type, id))
                .json()
                .path("items");
        if (!attempts.isEmpty()) {
            session.output().line("");
            session.output().table(List.of("claim", "by", "since", "until", "end", "error"), attempts);
        }
    }

    /** Waits for the end of a job, in several requests if it takes long, and shows the job. */
    static int await(Session session, String type, String id, Duration time) {
        Duration left = time;
        while (true) {
            Duration now = left.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : left;
            ApiReply job = session.api()
                    .get(Address.of("/v1/types/{}/jobs/{}/result", type, id).with("timeout", Optional.of(now)));
            left = left.minus(now);
            if (job.status() == 202 && !left.isZero()) {
                continue;
            }
            show(session, job, type, id);
            if (job.status() == 202) {
                session.output().note("The job has not ended within " + DurationText.of(time) + ".");
                return Failure.FAILED;
            }
            return job.json().path("outcome").asString("").equals("succeeded") ? DONE : Failure.FAILED;
        }
    }
}
