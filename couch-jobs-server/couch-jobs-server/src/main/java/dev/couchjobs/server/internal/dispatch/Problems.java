package dev.couchjobs.server.internal.dispatch;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.BatchNotFoundException;
import dev.couchjobs.BatchRoleException;
import dev.couchjobs.BatchStateException;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.DependencyException;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.IncompatibleLayoutException;
import dev.couchjobs.InvalidCronException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobNotFoundException;
import dev.couchjobs.JobsException;
import dev.couchjobs.NotIndexedException;
import dev.couchjobs.OutOfServiceException;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import dev.couchjobs.ScheduleNotFoundException;
import dev.couchjobs.SequenceNotVisibleException;
import dev.couchjobs.TooManyGenerationsException;
import dev.couchjobs.TooManyJobsException;
import dev.couchjobs.TransactionTooLongException;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.server.internal.http.MemoryShortage;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.work.Halts;
import dev.couchjobs.topics.GroupNotFoundException;
import dev.couchjobs.topics.MessageTooLargeException;
import dev.couchjobs.topics.PartitionLostException;
import dev.couchjobs.topics.TopicNotFoundException;
import java.time.DateTimeException;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * Errors as problems. The messages of the library's own errors say what to do, and contain no payloads. Of any other
 * error the caller learns a number only, by which the log has it.
 */
final class Problems {
    private static final SafeLog LOG = SafeLog.of(Problems.class);

    static final Problem UNAUTHENTICATED = Problem.of(401, "unauthenticated", "The server does not know who calls.")
            .detail("Send the header Authorization: Bearer, with a token that is neither expired nor revoked.")
            .header("WWW-Authenticate", "Bearer");

    private static final int INCIDENT_BYTES = 4;
    private static final String PAYLOAD_CURE =
            "The API reads and writes payloads as JSON. Read this one with the program that wrote it.";

    /** What a class of errors is called. The first rule that fits counts. */
    private record Rule(Class<? extends Throwable> error, int status, String code, String title) {}

    private static final List<Rule> RULES = List.of(
            new Rule(JobNotFoundException.class, 404, "not-found", "There is no such job."),
            new Rule(BatchNotFoundException.class, 404, "not-found", "There is no such batch."),
            new Rule(ScheduleNotFoundException.class, 404, "not-found", "There is no such schedule."),
            new Rule(TopicNotFoundException.class, 404, "not-found", "There is no such topic."),
            new Rule(GroupNotFoundException.class, 404, "not-found", "There is no such group."),
            new Rule(PartitionLostException.class, 409, "partition-lost", "The group is elsewhere."),
            new Rule(MessageTooLargeException.class, 413, "payload-too-large", "The message is too large."),
            new Rule(BatchStateException.class, 409, "batch-state", "The batch does not admit this."),
            new Rule(BatchRoleException.class, 409, "batch-role", "The job has another role in a batch."),
            new Rule(DependencyNotFoundException.class, 409, "dependency-not-found", "A dependency is not there."),
            new Rule(DependencyException.class, 409, "dependency", "The dependencies do not admit this."),
            new Rule(TooManyGenerationsException.class, 409, "too-many-generations", "The line of jobs is too long."),
            new Rule(NotIndexedException.class, 409, "not-indexed", "The type has no status index."),
            new Rule(UndecodableRowException.class, 409, "undecodable-row", "A stored row cannot be read."),
            new Rule(PayloadTooLargeException.class, 413, "payload-too-large", "The payload is too large."),
            new Rule(PayloadException.class, 422, "payload", "The payload cannot be stored, or read."),
            new Rule(InvalidCronException.class, 400, "invalid-cron", "The cron expression is wrong."),
            new Rule(TooManyJobsException.class, 413, "too-many-jobs", "Too much for one transaction."),
            new Rule(TransactionTooLongException.class, 503, "too-slow", "The transaction took too long."),
            new Rule(SequenceNotVisibleException.class, 503, "not-visible-yet", "The database is behind."),
            new Rule(OutOfServiceException.class, 503, "out-of-service", "The jobs are out of service."),
            new Rule(IncompatibleLayoutException.class, 503, "incompatible-layout", "This server cannot use the rows."),
            new Rule(CouchJobsClosedException.class, 503, "closing", "The server is closing."),
            new Rule(JobsException.class, 409, "refused", "The library refuses this."),
            new Rule(IllegalArgumentException.class, 400, "invalid-value", "A value is wrong."),
            new Rule(DateTimeException.class, 400, "invalid-value", "A time is wrong."),
            new Rule(ArithmeticException.class, 400, "invalid-value", "A number is out of range."));

    private Problems() {}

    static Problem of(Throwable error) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (MemoryShortage.isCauseOf(cause)) { // whatever was being read or written
            LOG.error("A request has found too little memory", cause);
            return MemoryShortage.problem();
        }
        if (cause instanceof FDBException database) {
            return database(database);
        }
        if (cause instanceof JobHaltedException halt) {
            return Problem.of(409, "lease-lost", "The claim no longer holds.")
                    .detail(halt.getMessage())
                    .member("halt", Halts.of(halt));
        }
        for (Rule rule : RULES) {
            if (rule.error().isInstance(cause)) {
                // The message of a codec's error quotes the text that it could not read.
                String detail = rule.error().equals(PayloadException.class) ? PAYLOAD_CURE : cause.getMessage();
                Problem problem =
                        Problem.of(rule.status(), rule.code(), rule.title()).detail(detail);
                return rule.status() == 503 ? problem.header("Retry-After", "1") : problem;
            }
        }
        return unexpected(cause);
    }

    private static Problem database(FDBException error) {
        // During an outage the database refuses each request: a line of the log for each, without a stack trace.
        LOG.warn("The database refuses a request: error {}, {}", error.getCode(), error.getMessage());
        LOG.debug("The stack trace of error {}", error.getCode(), error);
        return Problem.of(503, "database", "The database does not answer as it should.")
                .detail("Its error is " + error.getCode() + ". Try again; GET /v1/health says more.")
                .header("Retry-After", "1");
    }

    private static Problem unexpected(Throwable error) {
        String incident = ServerEnvironment.randomHex(INCIDENT_BYTES);
        LOG.error("A request failed: incident {}", incident, error);
        return Problem.of(500, "internal", "The server has failed.")
                .detail("Its log tells more about incident " + incident + ".");
    }
}
