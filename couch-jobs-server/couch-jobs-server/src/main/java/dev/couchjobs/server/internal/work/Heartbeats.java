package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Database;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.NewJobs;
import dev.couchjobs.server.internal.work.ClaimRows.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Renews the claims of a worker in one transaction, which reads no payloads. */
final class Heartbeats {
    private final CouchJobs jobs;
    private final Database database;
    private final Registrations registrations;

    Heartbeats(CouchJobs jobs, Database database, Registrations registrations) {
        this.jobs = jobs;
        this.database = database;
        this.registrations = registrations;
    }

    CompletableFuture<Reply> run(RemoteWorker worker, List<Held> claims) {
        List<ClaimKey> keys = claims.stream()
                .map(claim -> new ClaimKey(NewJobs.type(claim.type()), claim.id(), claim.lock()))
                .toList();
        return database.runAsync(tx -> jobs.processor()
                .renewAll(tx, keys)
                .thenCombine(
                        registrations.report(tx, worker),
                        (halts, state) -> Reply.ok(new Fields()
                                .put("order", WorkJson.order(state))
                                .putAll("claims", results(claims, halts), result -> result)
                                .node())));
    }

    private static List<JsonNode> results(List<Held> claims, List<Optional<JobHaltedException>> halts) {
        List<JsonNode> results = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            Held claim = claims.get(i);
            results.add(new Fields()
                    .put("type", claim.type())
                    .put("id", claim.id())
                    .put("lock", claim.lock().toString())
                    .put("result", halts.get(i).map(Halts::of).orElse("renewed"))
                    .node());
        }
        return results;
    }
}
