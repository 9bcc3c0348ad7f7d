package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.server.HttpConnection;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A worker process over HTTP. Each of its threads claims up to ten jobs, and finishes them one after the other. */
final class SoakWorker implements Runnable {
    private static final int THREADS = 4;
    private static final int CLAIMED_AT_ONCE = 10;

    private final UUID id = UUID.randomUUID();
    private final SoakClient client;

    private SoakWorker(SoakClient client) {
        this.client = client;
    }

    /**
     * The program of a worker process, which ends with its input.
     *
     * @param words the ports of the servers
     * @throws IOException if its input cannot be read
     */
    public static void main(String... words) throws IOException {
        List<Integer> ports = Stream.of(words).map(Integer::valueOf).toList();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(new SoakWorker(new SoakClient(ports, i)), "soak-worker-" + i);
            thread.setUncaughtExceptionHandler((failed, error) -> {
                error.printStackTrace();
                Runtime.getRuntime().halt(1);
            });
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println(SoakServer.READY);
        while (System.in.read() >= 0) {}
    }

    @Override
    public void run() {
        try {
            for (int call = 0; ; call++) {
                String reply =
                        client.send(claim(call, false), claim(call, true)).orElseThrow();
                for (JsonNode claim : JsonMapper.shared().readTree(reply).get("claims")) {
                    finish(claim);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private byte[] claim(int call, boolean isRepeated) {
        return HttpConnection.post(
                "/v1/work/claims",
                "{\"requestId\":\"" + call + "\",\"repeated\":" + isRepeated + ",\"max\":" + CLAIMED_AT_ONCE
                        + ",\"wait\":\"PT5S\",\"worker\":{\"name\":\"soak\",\"id\":\"" + id + "\",\"types\":[\""
                        + SoakJobs.WORK + "\"],\"concurrency\":" + CLAIMED_AT_ONCE + "}}");
    }

    /** A claim that was lost meanwhile is another worker's. */
    private void finish(JsonNode claim) throws InterruptedException {
        JsonNode data = claim.get("data");
        SoakJobs.Work work = new SoakJobs.Work(
                data.get("number").longValue(), data.get("due").longValue());
        var unused = client.send(HttpConnection.post(
                "/v1/work/types/" + SoakJobs.WORK + "/jobs/" + claim.get("id").stringValue() + "/finish",
                "{\"lock\":\"" + claim.get("lock").stringValue() + "\",\"jobs\":["
                        + SoakJobs.effectJson(work, System.currentTimeMillis()) + "]}"));
    }
}
