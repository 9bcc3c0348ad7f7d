package dev.couchjobs.opentelemetry;

import dev.couchjobs.NewJob;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The context of an addition in the headers of its jobs, as the configured propagator writes it.
 *
 * @param propagator writes and reads the context
 * @param baggageBytesMax how many bytes of headers baggage may take; more is dropped
 */
record TraceHeaders(TextMapPropagator propagator, int baggageBytesMax) {
    /** When the job was added, in milliseconds since the epoch. */
    private static final String ADDED = "couchjobs-added";

    private static final TextMapGetter<Map<String, String>> GETTER = new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // some propagators look for their names among all
        public Iterable<String> keys(Map<String, String> headers) {
            return headers.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String name) {
            return headers == null ? null : headers.get(name);
        }
    };

    /** {@return the headers of a context, which are empty if nothing is propagated} */
    Map<String, String> of(Context context, long now) {
        Map<String, String> headers;
        try {
            headers = written(bounded(context));
        } catch (RuntimeException e) { // a trace must not keep jobs from being added
            return Map.of();
        }
        if (!headers.isEmpty()) {
            headers.put(ADDED, Long.toString(now));
        }
        return headers;
    }

    /** {@return a job with headers, or the job as it is if it has no room for these} */
    static NewJob<?> with(NewJob<?> job, Map<String, String> headers) {
        NewJob<?> carrying = job;
        try {
            for (Map.Entry<String, String> header : headers.entrySet()) {
                carrying = carrying.header(header.getKey(), header.getValue());
            }
        } catch (IllegalArgumentException e) { // a trace must not keep a job from being added
            return job;
        }
        return carrying;
    }

    /** {@return the context of the addition; the root context if the headers have none that can be read} */
    Context context(Map<String, String> headers) {
        try {
            return bounded(propagator.extract(Context.root(), headers, GETTER));
        } catch (RuntimeException e) { // the headers may be of another program
            return Context.root();
        }
    }

    /** {@return when the job was added, in milliseconds since the epoch, if that is known} */
    static OptionalLong added(Map<String, String> headers) {
        try {
            return headers.containsKey(ADDED)
                    ? OptionalLong.of(Long.parseLong(headers.get(ADDED)))
                    : OptionalLong.empty();
        } catch (NumberFormatException e) { // the header may be of another program
            return OptionalLong.empty();
        }
    }

    /** {@return a context without its baggage if that takes too many bytes of headers} */
    private Context bounded(Context context) {
        Baggage baggage = Baggage.fromContext(context);
        return baggage.isEmpty() || bytes(written(Context.root().with(baggage))) <= baggageBytesMax
                ? context
                : context.with(Baggage.empty());
    }

    private Map<String, String> written(Context context) {
        Map<String, String> headers = new LinkedHashMap<>();
        propagator.inject(context, headers, Map::put);
        return headers;
    }

    private static long bytes(Map<String, String> headers) {
        return headers.entrySet().stream()
                .mapToLong(header -> bytes(header.getKey()) + bytes(header.getValue()))
                .sum();
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
