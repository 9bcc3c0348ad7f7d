package dev.couchjobs.bench.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.ConcurrentHistogram;

/** Workers that each claim over a connection, and finish what they have claimed, one job after the other. */
final class ClaimLoad {
    private static final int DIGITS = 3;
    private static final int ADDED_AT_ONCE = 100;

    private final int port;
    private final int connections;
    private final int claimedAtOnce;
    private final ConcurrentHistogram claims = new ConcurrentHistogram(DIGITS);
    private final ConcurrentHistogram ends = new ConcurrentHistogram(DIGITS);

    ClaimLoad(int port, int connections, int claimedAtOnce) {
        this.port = port;
        this.connections = connections;
        this.claimedAtOnce = claimedAtOnce;
    }

    /**
     * What was measured.
     *
     * @param claims the times of calls for claims, in microseconds
     * @param ends the times of calls that finish
     */
    record Result(double jobsPerSecond, ConcurrentHistogram claims, ConcurrentHistogram ends) {}

    /** Adds jobs. */
    static void add(int port, int count) throws IOException {
        try (HttpConnection connection = new HttpConnection(port)) {
            for (int added = 0; added < count; added += ADDED_AT_ONCE) {
                StringBuilder jobs = new StringBuilder();
                for (int i = added; i < Math.min(count, added + ADDED_AT_ONCE); i++) {
                    jobs.append(jobs.isEmpty() ? "" : ",").append("{\"type\":\"bench\",\"data\":{\"to\":\"jo\"}}");
                }
                connection.send(HttpConnection.post("/v1/jobs", "{\"jobs\":[" + jobs + "]}"));
            }
        }
    }

    Result run(int jobs) throws IOException, InterruptedException, ExecutionException {
        add(port, jobs);
        AtomicInteger left = new AtomicInteger(jobs);
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        long began = System.nanoTime();
        try {
            List<Callable<Object>> workers = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                workers.add(() -> {
                    work(left);
                    return left;
                });
            }
            for (Future<?> worker : threads.invokeAll(workers)) {
                worker.get();
            }
        } finally {
            threads.shutdown();
        }
        return new Result(jobs * 1e9 / (System.nanoTime() - began), claims, ends);
    }

    /** {@return a call for claims} */
    static byte[] claim(UUID worker, int call, int max, String wait) {
        return HttpConnection.post(
                "/v1/work/claims",
                "{\"requestId\":\"" + call + "\",\"max\":" + max + ",\"wait\":\"" + wait
                        + "\",\"worker\":{\"name\":\"bench\",\"id\":\"" + worker
                        + "\",\"types\":[\"bench\"],\"concurrency\":" + max + "}}");
    }

    private void work(AtomicInteger left) throws IOException {
        UUID worker = UUID.randomUUID();
        try (HttpConnection connection = new HttpConnection(port)) {
            for (int call = 0; left.get() > 0; call++) {
                long began = System.nanoTime();
                String reply = connection.send(claim(worker, call, claimedAtOnce, "PT0.1S"));
                long micros = (System.nanoTime() - began) / 1_000;
                if (reply.contains("\"id\":")) { // else no job was left, and the call has waited
                    claims.recordValue(micros);
                }
                for (int at = reply.indexOf("\"id\":"); at >= 0; at = reply.indexOf("\"id\":", at + 1)) {
                    String id = text(reply, at);
                    String lock = text(reply, reply.indexOf("\"lock\":", at));
                    byte[] end = HttpConnection.post(
                            "/v1/work/types/bench/jobs/" + id + "/finish", "{\"lock\":\"" + lock + "\"}");
                    long endBegan = System.nanoTime();
                    connection.send(end);
                    ends.recordValue((System.nanoTime() - endBegan) / 1_000);
                    left.decrementAndGet();
                }
            }
        }
    }

    private static String text(String json, int at) {
        int from = json.indexOf(':', at) + 2;
        return json.substring(from, json.indexOf('"', from));
    }
}
