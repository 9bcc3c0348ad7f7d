package dev.couchjobs.server.internal.dispatch;

import dev.couchjobs.loop.SafeLog;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.openapi.ApiOperation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * Logs each write of a known caller, refused ones included, as a line of JSON to the logger {@code couch-jobs.audit};
 * additions of jobs, which are the most, to {@value #ADDITIONS}, so that they can be left out. It logs no payloads.
 * Everything but printable ASCII is escaped, so that no path or name can end the line or hide a part of it.
 */
public final class AuditLog {
    /** {@value}. */
    public static final String ADDITIONS = "couch-jobs.audit.additions";

    private static final SafeLog LOG = SafeLog.named("couch-jobs.audit");
    private static final SafeLog LOG_OF_ADDITIONS = SafeLog.named(ADDITIONS);
    private static final Set<String> OPERATIONS_THAT_ADD = Set.of("addJob", "addJobs");
    private static final int PATH_CHARACTERS_MAX = 1_000;

    private AuditLog() {}

    static void write(
            Access caller,
            ApiOperation operation,
            String path,
            int status,
            String requestId,
            Instant at,
            Duration took) {
        SafeLog log = OPERATIONS_THAT_ADD.contains(operation.id()) ? LOG_OF_ADDITIONS : LOG;
        if (log.isInfoEnabled()) {
            log.info("{}", line(caller, operation, path, status, requestId, at, took));
        }
    }

    static String line(
            Access caller,
            ApiOperation operation,
            String path,
            int status,
            String requestId,
            Instant at,
            Duration took) {
        return ascii(new String(
                Json.write(new Fields()
                        .put("at", at)
                        .put("caller", caller.name())
                        .put("operation", operation.id())
                        .put("method", operation.method())
                        .put("path", path.substring(0, Math.min(PATH_CHARACTERS_MAX, path.length())))
                        .put("status", status)
                        .put("millis", took.toMillis())
                        .put("requestId", requestId)
                        .node()),
                StandardCharsets.UTF_8));
    }

    private static String ascii(String json) {
        StringBuilder line = new StringBuilder(json.length());
        json.chars().forEach(letter -> {
            if (letter < ' ' || letter > '~') {
                line.append(String.format("\\u%04x", letter));
            } else {
                line.append((char) letter);
            }
        });
        return line.toString();
    }
}
