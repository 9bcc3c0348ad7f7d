package dev.couchjobs.bench.cluster;

import com.apple.foundationdb.Database;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a cluster has counted: so far, or between two readings.
 *
 * @param commits transactions with writes that are committed
 * @param conflicts transactions that are not, because of a conflict
 * @param writes keys and ranges that transactions wrote
 * @param bytesWritten keys and values of these
 * @param storages the changes that each storage process applied, by address
 */
record ClusterCounters(long commits, long conflicts, long writes, long bytesWritten, Map<String, Long> storages) {
    private static final byte[] STATUS = {
        (byte) 0xff, (byte) 0xff, '/', 's', 't', 'a', 't', 'u', 's', '/', 'j', 's', 'o', 'n'
    };

    /** The status of a cluster. */
    static JsonNode status(Database database) {
        byte[] status = database.read(tx -> tx.get(STATUS).join());
        return JsonMapper.shared()
                .readTree(new String(status, StandardCharsets.UTF_8))
                .path("cluster");
    }

    /** Whether a cluster has that many storage processes, and moves no data between them. */
    static boolean isAtRest(JsonNode status, int storages) {
        JsonNode data = status.path("data");
        return data.path("state").path("healthy").asBoolean(false)
                && data.path("moving_data").path("in_flight_bytes").asLong(0) == 0
                && of(status).storages.size() == storages;
    }

    static ClusterCounters of(JsonNode status) {
        JsonNode workload = status.path("workload");
        JsonNode transactions = workload.path("transactions");
        Map<String, Long> storages = new TreeMap<>();
        for (JsonNode process : status.path("processes")) {
            for (JsonNode role : process.path("roles")) {
                if (role.path("role").asString("").equals("storage")) {
                    storages.put(process.path("address").asString("?"), counter(role.path("mutations")));
                }
            }
        }
        return new ClusterCounters(
                counter(transactions.path("committed")),
                counter(transactions.path("conflicted")),
                counter(workload.path("operations").path("writes")),
                counter(workload.path("bytes").path("written")),
                storages);
    }

    private static long counter(JsonNode node) {
        return node.path("counter").asLong(0);
    }

    ClusterCounters since(ClusterCounters earlier) {
        Map<String, Long> since = new TreeMap<>();
        storages.forEach((address, count) -> since.put(address, count - earlier.storages.getOrDefault(address, 0L)));
        return new ClusterCounters(
                commits - earlier.commits,
                conflicts - earlier.conflicts,
                writes - earlier.writes,
                bytesWritten - earlier.bytesWritten,
                since);
    }

    /** The part of all changes that the storage process applied which applied most. */
    double largestShare() {
        long all = storages.values().stream().mapToLong(Long::longValue).sum();
        long most = storages.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return all == 0 ? 0 : most / (double) all;
    }
}
