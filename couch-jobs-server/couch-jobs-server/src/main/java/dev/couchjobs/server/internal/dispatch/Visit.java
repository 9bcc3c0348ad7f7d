package dev.couchjobs.server.internal.dispatch;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.internal.http.Exchange;
import dev.couchjobs.server.internal.http.Gzip;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.openapi.ApiOperation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One request on its way: what is known of it already, for its reply and for the audit log. */
final class Visit {
    static final String REQUEST_ID = "X-Request-Id";

    private static final Pattern SAFE_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int ID_BYTES = 8;

    private final Exchange exchange;
    private final InstantSource clock;
    private final Instant since;
    private final String requestId;

    private @Nullable ApiOperation operation;
    private @Nullable Access caller;
    private Map<String, String> rateHeaders = Map.of();

    Visit(Exchange exchange, InstantSource clock) {
        this.exchange = exchange;
        this.clock = clock;
        since = clock.instant();
        requestId = exchange.header(REQUEST_ID)
                .filter(id -> SAFE_ID.matcher(id).matches())
                .orElseGet(() -> ServerEnvironment.randomHex(ID_BYTES));
    }

    Exchange exchange() {
        return exchange;
    }

    void admitted(ApiOperation newOperation, Access newCaller) {
        operation = newOperation;
        caller = newCaller;
    }

    void rated(Map<String, String> headers) {
        rateHeaders = headers;
    }

    void end(Reply reply, boolean isAudited) {
        Reply whole = Gzip.forClient(reply, exchange).with(REQUEST_ID, requestId);
        for (Map.Entry<String, String> header : rateHeaders.entrySet()) {
            whole = whole.with(header.getKey(), header.getValue());
        }
        if (isAudited && operation != null && caller != null && operation.isWrite()) {
            AuditLog.write(
                    caller,
                    operation,
                    exchange.path(),
                    reply.status(),
                    requestId,
                    since,
                    Duration.between(since, clock.instant()));
        }
        exchange.end(whole);
    }
}
