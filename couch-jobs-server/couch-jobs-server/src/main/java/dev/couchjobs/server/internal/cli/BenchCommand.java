package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Measures a server with jobs of a type of its own, which it removes afterwards. */
@Command(
        name = "bench",
        description = "Adds jobs, claims and finishes them by the worker protocol, and removes them."
                + " Prints jobs a second, p50 and p99. Needs the roles operate and work.")
final class BenchCommand extends ApiCommand {
    private static final String NAME = "couch-jobs-bench";
    private static final int CONNECTIONS_MAX = 1000;
    private static final int CLAIMS_MAX = 100;

    @Option(names = "--jobs", paramLabel = "N", description = "How many jobs. Default: 2000")
    private int jobs = 2000;

    @Option(names = "--connections", paramLabel = "N", description = "How many requests at once. Default: 16")
    private int connections = 16;

    @Option(names = "--claims", paramLabel = "N", description = "How many jobs a request claims. Default: 1")
    private int claims = 1;

    private final String type = NAME + "-" + ServerEnvironment.randomId();
    private final Queue<String> ids = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    @Override
    boolean makesDirectory() {
        return true;
    }

    @Override
    int run(Session session) {
        if (jobs < 1 || connections < 1 || connections > CONNECTIONS_MAX || claims < 1 || claims > CLAIMS_MAX) {
            throw new Failure(
                    Failure.USAGE, "--jobs is 1 or more, --connections 1 to 1000, --claims 1 to 100.", "Change them.");
        }
        requireWork(session.api());
        BooleanSupplier ends = () -> session.stop().isRequested() || hasFailed.get();
        List<JsonNode> rows = new ArrayList<>();
        try {
            rows.add(row("add", add(session.api(), ends)));
            rows.add(row("claim and finish", work(session.api(), ends)));
        } finally {
            // Also after a signal or an error: nothing stays half done.
            hasFailed.set(false);
            rows.add(row("remove", remove(session.api())));
            // A type without jobs and without a timeout is not listed.
            session.api().delete(Address.of("/v1/types/{}/timeout", type));
        }
        if (session.output().isJson()) {
            session.output()
                    .json(new Fields().putAll("items", rows, row -> row).node().toString());
        } else {
            session.output().table(List.of("step", "jobs", "perSecond", "p50Millis", "p99Millis"), rows);
        }
        return session.stop().isRequested() ? Failure.FAILED : DONE;
    }

    /** A caller that may not claim learns of it before jobs are added. */
    private void requireWork(Api api) {
        JsonNode worker = worker();
        claim(api, worker, "PT0S");
        end(api, worker);
    }

    /** What one step took. */
    private record Measure(long nanos, List<Long> each) {}

    /** What one connection does; it adds the time of each job. */
    private interface Connection {
        void run(List<Long> times);
    }

    private Measure add(Api api, BooleanSupplier ends) {
        AtomicInteger next = new AtomicInteger();
        return onAll(times -> {
            while (!ends.getAsBoolean() && next.getAndIncrement() < jobs) {
                Instant start = ServerEnvironment.now();
                JsonNode body = new Fields().put("data", next.get()).node();
                ids.add(api.post(Address.of("/v1/types/{}/jobs", type), body)
                        .json()
                        .path("id")
                        .asString());
                times.add(ServerEnvironment.nanosSince(start));
            }
        });
    }

    /** Each connection is a worker. The time of a job is from the call that claims it to the reply to its end. */
    private Measure work(Api api, BooleanSupplier ends) {
        AtomicInteger left = new AtomicInteger(ids.size());
        return onAll(times -> {
            JsonNode worker = worker();
            try {
                while (!ends.getAsBoolean() && left.get() > 0) {
                    Instant start = ServerEnvironment.now();
                    for (JsonNode claim : claim(api, worker, "PT0.2S")) {
                        api.post(
                                Address.of(
                                        "/v1/work/types/{}/jobs/{}/finish",
                                        type,
                                        claim.path("id").asString()),
                                new Fields().put("lock", claim.path("lock")).node());
                        times.add(ServerEnvironment.nanosSince(start));
                        left.decrementAndGet();
                    }
                }
            } finally {
                end(api, worker);
            }
        });
    }

    private JsonNode worker() {
        return new Fields()
                .put("name", NAME)
                .put("id", ServerEnvironment.randomId().toString())
                .put("types", List.of(type))
                .node();
    }

    private static void end(Api api, JsonNode worker) {
        JsonNode ended = ((ObjectNode) worker.deepCopy()).without("types");
        api.send("POST", Address.of("/v1/work/workers/end"), ended);
    }

    private JsonNode claim(Api api, JsonNode worker, String wait) {
        JsonNode body = new Fields()
                .put("requestId", ServerEnvironment.randomId().toString())
                .put("worker", worker)
                .put("max", claims)
                .put("wait", wait)
                .node();
        return api.post(Address.of("/v1/work/claims"), body).json().path("claims");
    }

    private Measure remove(Api api) {
        return onAll(times -> {
            for (Optional<String> id = next(); id.isPresent(); id = next()) {
                Instant start = ServerEnvironment.now();
                Address job = Address.of("/v1/types/{}/jobs/{}", type, id.get());
                ApiReply reply = api.send("DELETE", job, MissingNode.getInstance());
                if (reply.status() != 200) {
                    throw api.failure(reply);
                }
                times.add(ServerEnvironment.nanosSince(start));
            }
        });
    }

    private Optional<String> next() {
        return Optional.ofNullable(ids.poll());
    }

    private Measure onAll(Connection connection) {
        ExecutorService threads = ServerThreads.pool(connections);
        Instant start = ServerEnvironment.now();
        List<Future<List<Long>>> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(threads.submit(() -> {
                List<Long> times = new ArrayList<>();
                try {
                    connection.run(times);
                    return times;
                } catch (RuntimeException | Error e) { // otherwise the others wait for the jobs of this one
                    hasFailed.set(true);
                    throw e;
                }
            }));
        }
        try {
            List<Long> times = new ArrayList<>();
            for (Future<List<Long>> one : all) {
                times.addAll(one.get());
            }
            return new Measure(ServerEnvironment.nanosSince(start), times);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Failure failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(Failure.FAILED, "Interrupted.", "Jobs of the type " + type + " may be left.");
        } finally {
            threads.shutdown();
        }
    }

    private static JsonNode row(String step, Measure measure) {
        List<Long> sorted = measure.each().stream().sorted().toList();
        return new Fields()
                .put("step", step)
                .put("jobs", sorted.size())
                .put("perSecond", Math.round(sorted.size() / (measure.nanos() / 1e9)))
                .put("p50Millis", millis(sorted, 0.50))
                .put("p99Millis", millis(sorted, 0.99))
                .node();
    }

    private static double millis(List<Long> sorted, double share) {
        if (sorted.isEmpty()) {
            return 0;
        }
        long nanos = sorted.get(Math.min(sorted.size() - 1, (int) (sorted.size() * share)));
        return Math.round(nanos / 1e4) / 100.0;
    }
}
